import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { hasChromium, needsChromium, startBrowser } from './browser.ts';
import { hostileName, seedContest } from './contestData.ts';
import { servedSite } from './servedSite.ts';

const widths = [360, 768, 1440] as const;

describe.runIf(hasChromium)(`every page${needsChromium}`, async () => {
  if (!hasChromium) return;
  const { gateway, origin, brokenOrigin } = await servedSite(['pocket', 'vibetraining-bench']);
  const seeded = await seedContest(gateway);
  const browser = await startBrowser();
  const pages: readonly (readonly [name: string, address: string, status: number])[] = [
    ['the front page', `${origin}/`, 200],
    ['a season', `${origin}/seasons/duo`, 200],
    ['a view of a season', `${origin}/seasons/duo?track=alpha&sort=-hours&counts=yes&asOf=2026-12-02`, 200],
    ['a season of reported rows', `${origin}/seasons/vibetraining-bench`, 200],
    ['an entry', `${origin}/entries/${seeded.entry}`, 200],
    ['a published final', `${origin}/submissions/${seeded.published}`, 200],
    ['a final under way', `${origin}/submissions/${seeded.moving}`, 200],
    ['how it works', `${origin}/how`, 200],
    ['how to submit', `${origin}/submit`, 200],
    ['how to verify', `${origin}/verify`, 200],
    ['an address without a page', `${origin}/nowhere`, 404],
    ['a page that fails', `${brokenOrigin}/`, 500],
  ];

  it.each(pages)(
    '%s is accessible in both themes at three widths, shifts nothing and overflows nowhere',
    async (_name, address, status) => {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
      try {
        const page = await context.newPage();
        const errors: string[] = [];
        page.on('pageerror', (error) => errors.push(String(error)));
        page.on('console', (message) => {
          if (message.type() === 'error' && !message.text().includes(`${status}`))
            errors.push(message.text());
        });
        await page.addInitScript(watchShifts);
        for (const width of widths) {
          await page.setViewportSize({ width, height: 900 });
          const response = await page.goto(address, { waitUntil: 'load' });
          expect(response?.status()).toBe(status);
          expect(await shifted(page), `layout shift at ${width}`).toBe(0);
          expect(await overflow(page), `pixels beyond ${width}`).toBeLessThanOrEqual(0);
          await page.emulateMedia({ colorScheme: 'light' });
          expect(await violations(page, []), `light at ${width}`).toEqual([]);
          await page.emulateMedia({ colorScheme: 'dark' });
          expect(await violations(page, ['color-contrast']), `dark at ${width}`).toEqual([]);
        }
        expect(errors).toEqual([]);
      } finally {
        await context.close();
      }
    },
    90_000,
  );

  it('names are text, whatever they hold', async () => {
    const page = await browser.newPage();
    try {
      for (const path of [
        '/',
        '/seasons/duo',
        `/entries/${seeded.hostile}`,
        '/seasons/duo/charts/tokens.svg',
      ]) {
        expect((await page.goto(origin + path))?.status(), path).toBe(200);
        expect(await page.locator('img').count()).toBe(0);
        expect(await page.evaluate('document.title')).not.toBe('1');
      }
      await page.goto(`${origin}/seasons/duo`);
      const names = await page.locator('.board bdi').allTextContents();
      expect(names).toContain(hostileName);
    } finally {
      await page.close();
    }
  });

  it('a page that fails says so in plain words, without its cause', async () => {
    const response = await fetch(`${brokenOrigin}/seasons/pocket`);
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(text).toContain('That was our fault');
    expect(text).not.toMatch(/CONNECTION|postgres|node_modules|\.mjs/);
  });
});

/** What axe finds by these rules; none named: by all. The dark theme differs in colours alone. */
async function violations(page: Page, rules: readonly string[]): Promise<string[]> {
  const axe = new AxeBuilder({ page }).setLegacyMode(true);
  const { violations: found } = await (rules.length === 0 ? axe : axe.withRules([...rules])).analyze();
  return found.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}

/** Counts every shift from the first paint on, those after input too: none is excused. */
const watchShifts = `
  window.vtbShift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.vtbShift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
`;

/** The shift so far, once two frames have been painted. */
function shifted(page: Page): Promise<unknown> {
  return page.evaluate(
    'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(window.vtbShift))))',
  );
}

function overflow(page: Page): Promise<unknown> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}
