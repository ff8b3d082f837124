import { readFile } from 'node:fs/promises';
import type { RunnerConfig } from '../config.ts';
import { pause } from '../pause.ts';

/** Where the desk is now. */
export type DeskAddress = {
  /** The address without a slash at its end; waits for the grader's file when it isn't there yet. */
  current(signal: AbortSignal): Promise<string>;
  /** Call it when nobody answered there: a grader that started again may have another port. */
  forget(): void;
};

const lookEveryMs = 250;

/** The desk's address as configured, or as the grader of this machine wrote it. */
export function deskAddress(where: RunnerConfig['desk']): DeskAddress {
  let known: string | null = null;
  return {
    async current(signal) {
      if (where.kind === 'url') return withoutSlash(where.url);
      while (known === null) {
        known = await read(where.path);
        if (known === null) await pause(lookEveryMs, signal);
      }
      return known;
    },
    forget() {
      known = null;
    },
  };
}

async function read(path: string): Promise<string | null> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const url = text.trim();
  return URL.canParse(url) ? withoutSlash(url) : null;
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
