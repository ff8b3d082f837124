import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';

/** The gateway's measurements. */
export interface Metrics {
  readonly registry: Registry;
  /** One answered request; `route` is the table's path, never the caller's, so that labels stay few. */
  readonly answered: (request: {
    readonly method: string;
    readonly route: string;
    readonly status: number;
    readonly seconds: number;
  }) => void;
}

/** New measurements, with those of the process. */
export function newMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'vtb_gateway_' });
  const seconds = new Histogram({
    name: 'vtb_gateway_request_seconds',
    help: 'Time from a request to the start of its answer',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers: [registry],
  });
  return {
    registry,
    answered: (request) =>
      seconds.observe(
        { method: request.method, route: request.route, status: String(request.status) },
        request.seconds,
      ),
  };
}
