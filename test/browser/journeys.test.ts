import { releaseFinals } from '@vtb/gateway/sweeps/releaseFinals.ts';
import { scored, testEnclave } from '@vtb/gateway/testing/testEnclave.ts';
import type { Receipt } from '@vtb/protocol/messages/receipt.ts';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { hasChromium, needsChromium, startBrowser } from './browser.ts';
import { seedContest } from './contestData.ts';
import { servedSite } from './servedSite.ts';

describe.runIf(hasChromium)(`a reader${needsChromium}`, async () => {
  if (!hasChromium) return;
  const { gateway, origin } = await servedSite(['pocket']);
  const seeded = await seedContest(gateway);
  const browser = await startBrowser();

  async function onPage(
    options: { readonly javaScriptEnabled?: boolean },
    read: (page: Page) => Promise<void>,
  ) {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(20_000);
    try {
      await read(await context.newPage());
    } finally {
      await context.close();
    }
  }

  it('with a keyboard alone skips to the content, sorts, opens what a view may show, and reaches a result', () =>
    onPage({}, async (page) => {
      await page.goto(`${origin}/seasons/duo`);
      await page.keyboard.press('Tab');
      expect(await focused(page)).toBe('Skip to content');
      await page.keyboard.press('Enter');
      await page.waitForURL((url) => url.hash === '#main', { timeout: 5_000 });
      await tabTo(page, 'Rows, columns, date');
      await page.keyboard.press('Enter');
      expect(await page.locator('.choices').isVisible()).toBe(true);
      await tabTo(page, 'beta');
      await page.keyboard.press('Enter');
      await page.waitForURL(/sort=-beta/);
      expect(await page.locator('th[aria-sort="descending"]').textContent()).toContain('beta');
      await tabTo(page, 'Tied two');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/entries\//);
      expect(await page.locator('h1').textContent()).toContain('Tied two');
    }));

  it('without script chooses track, order, rows and date, and takes exactly that view away', () =>
    onPage({ javaScriptEnabled: false }, async (page) => {
      await page.goto(`${origin}/`);
      await page.getByRole('link', { name: 'Two tracks' }).click();
      await page.getByRole('navigation', { name: 'Tracks' }).getByText('alpha').click();
      await page.locator('thead').getByRole('link', { name: 'Hours' }).click();
      await page.locator('summary', { hasText: 'Rows, columns, date' }).click();
      await page.getByLabel('Reported elsewhere').uncheck();
      await page.getByLabel('Baselines').uncheck();
      await page.getByLabel('Finals used').uncheck();
      await page.getByLabel('Counts and intervals as numbers').check();
      await page.getByLabel('As of').fill('2026-12-02');
      await page.getByRole('button', { name: 'Show' }).click();
      const address = new URL(page.url());
      expect(address.searchParams.getAll('rows')).toEqual(['replayed']);
      const hours = await page.locator('tbody tr td.sm:nth-of-type(3)').allTextContents();
      expect(hours.length).toBe(6);
      expect(hours.map(Number)).toEqual(hours.map(Number).toSorted((a, b) => a - b));
      expect(await page.locator('.counts').first().textContent()).toMatch(/\d+\/800/);
      expect(await page.locator('.notice').textContent()).toContain('as it was on 2 Dec 2026');
      await page.locator('summary', { hasText: 'Export' }).click();
      const csv = await page.request.get(
        new URL((await page.getByRole('link', { name: 'CSV' }).getAttribute('href')) ?? '', origin).href,
      );
      const [header, ...rows] = (await csv.text()).trim().split('\r\n');
      expect(header).toMatch(/,hours,/);
      expect(header).not.toContain('finals used');
      expect(rows).toHaveLength(6);
      await page.locator('summary', { hasText: 'Cite this board' }).click();
      expect(await page.locator('pre').textContent()).toMatch(/log position \d+/);
    }));

  it('without script is told to load a final again, and sees the same there', () =>
    onPage({ javaScriptEnabled: false }, async (page) => {
      await page.goto(`${origin}/submissions/${seeded.moving}`);
      expect(await page.locator('noscript').textContent()).toContain('Load the page again');
      expect(await page.locator('[data-state]').textContent()).toBe('waiting for a runner');
    }));

  it('sees a final come through its grading to its result, on one page that is never loaded again', () =>
    onPage({}, async (page) => {
      const enclave = testEnclave(gateway);
      await page.goto(`${origin}/submissions/${seeded.moving}`);
      await page.evaluate('window.vtbSamePage = true');
      const order = await enclave.lastOrder(seeded.moving);
      await enclave.notify('progress', { order: order.order, state: 'replaying', attempt: 1, trials: null });
      await page.locator('[data-state="grading"]').waitFor();
      await enclave.deliver(await enclave.report(order, scored(120)));
      expect(await page.locator('main').textContent()).not.toContain('60.0');
      gateway.clock.at = new Date(gateway.clock.at.getTime() + 10_000);
      await releaseFinals(gateway.deps);
      await page.locator('[data-state="published"]').waitFor();
      expect(await page.locator('main').textContent()).toContain('60.0 %');
      expect(await page.evaluate('window.vtbSamePage')).toBe(true);
    }));

  it('checks a receipt in the browser without a network, by its own record and by one that is trusted', () =>
    onPage({}, async (page) => {
      const receipt: Receipt = await (await fetch(`${origin}/api/v1/receipts/${seeded.grading}`)).json();
      await page.goto(`${origin}/verify`, { waitUntil: 'networkidle' });
      await page.context().setOffline(true);
      const verdict = page.locator('[data-part="verdict"]');
      const choose = async (label: string, name: string, text: string, said: string) => {
        await page
          .getByLabel(label)
          .setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(text) });
        await verdict.getByText(said, { exact: false }).first().waitFor();
      };
      const text = JSON.stringify(receipt);
      await choose('Receipt', 'receipt.json', text, 'Everything holds together.');
      expect(await verdict.textContent()).toContain('75.0 % over 200 tasks');
      await choose('Season record', 'record.json', receipt.record.leaf, 'by the keys you trust');
      await choose(
        'Season record',
        'record.json',
        `${receipt.record.leaf} `.replace('pocket', 'packet'),
        'not the one you trust',
      );
      await choose('Season record', 'record.json', receipt.record.leaf, 'by the keys you trust');
      const flipped = text.replace(
        /"proof":\["(.)/,
        (_all, digit) => `"proof":["${digit === '0' ? '1' : '0'}`,
      );
      await choose('Receipt', 'receipt.json', flipped, 'This receipt does not hold.');
      await choose('Receipt', 'receipt.json', '<html>', 'is not JSON');
    }));
});

/** Presses Tab until what is focused starts with this text. */
async function tabTo(page: Page, text: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab');
    if ((await focused(page)).startsWith(text)) return;
  }
  throw new Error(`Tab never reaches ${text}`);
}

async function focused(page: Page): Promise<string> {
  return String(await page.evaluate('document.activeElement?.textContent?.trim() ?? ""'));
}
