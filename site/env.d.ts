/// <reference types="astro/client" />

type SiteLocals = import('./data/locals.ts').SiteLocals;

declare namespace App {
  /** What the gateway hands to a page. */
  interface Locals extends SiteLocals {}
}
