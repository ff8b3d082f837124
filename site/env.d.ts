/// <reference types="astro/client" />

declare namespace App {
  /** What the gateway hands to a page. */
  interface Locals extends import('./data/locals.ts').SiteLocals {}
}
