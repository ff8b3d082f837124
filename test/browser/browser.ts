import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { afterAll } from 'vitest';

const executablePath = '/usr/bin/chromium';

/** Whether this host has the browser that these tests drive. */
export const hasChromium = existsSync(executablePath);

/** Ends the name of a suite that this host cannot run. */
export const needsChromium = hasChromium
  ? ''
  : ' skipped: needs Chromium (enable with: apt-get install chromium)';

/** A real browser, closed after the file's tests. Each test opens a context of its own. */
export async function startBrowser(): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    timeout: 60_000,
  });
  afterAll(() => browser.close());
  return browser;
}
