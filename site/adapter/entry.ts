import { createApp } from 'astro/app/entrypoint';

const app = createApp();

/** Renders one page. `locals` carries what a page may read; see `env.d.ts`. Static files are the caller's. */
export function render(request: Request, locals: App.Locals): Promise<Response> {
  return app.render(request, { locals, addCookieHeader: false });
}
