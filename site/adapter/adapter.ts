import type { AstroIntegration } from 'astro';

/** Builds the site as one module with a `render(request, locals)`: the gateway serves it on its own port. */
export function renderer(): AstroIntegration {
  return {
    name: 'vtb-renderer',
    hooks: {
      'astro:config:done': ({ setAdapter }) => {
        setAdapter({
          name: 'vtb-renderer',
          entrypointResolution: 'auto',
          serverEntrypoint: new URL('./entry.ts', import.meta.url),
          supportedAstroFeatures: { serverOutput: 'stable', staticOutput: 'stable' },
        });
      },
    },
  };
}
