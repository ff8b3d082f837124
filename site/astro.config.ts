import { defineConfig } from 'astro/config';
import { renderer } from './adapter/adapter.ts';

export default defineConfig({
  srcDir: '.',
  outDir: './dist',
  output: 'server',
  adapter: renderer(),
  compressHTML: true,
  devToolbar: { enabled: false },
  // Stylesheets and scripts are files of their own: the gateway's content security policy allows nothing inline.
  build: { inlineStylesheets: 'never', assets: 'assets' },
  vite: { build: { assetsInlineLimit: 0 } },
  image: { service: { entrypoint: 'astro/assets/services/noop' } },
  security: { checkOrigin: false },
  trailingSlash: 'ignore',
});
