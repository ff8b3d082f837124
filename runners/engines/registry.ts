import type { Engine } from './engine.ts';
import { llamaCpp } from './llamaCpp.ts';

/** Every engine by the name a season's track uses; a new one is a file here and a line below. */
export const engines: Readonly<Record<string, Engine>> = {
  [llamaCpp.name]: llamaCpp,
};

/** The engine of that name; throws Error listing the known ones for any other. */
export function engineNamed(name: string): Engine {
  const engine = Object.hasOwn(engines, name) ? engines[name] : undefined;
  if (engine === undefined) {
    throw new Error(`no engine is called ${JSON.stringify(name)}; known: ${Object.keys(engines).join(', ')}`);
  }
  return engine;
}
