import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { newSigningKey } from '@vtb/protocol/messages/keys.ts';
import { publicHalf } from '@vtb/protocol/messages/sealing.ts';
import { regradedSchema } from '@vtb/protocol/wire/admin.ts';
import type { Command } from 'commander';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';

/** Processes that can be started by name, and where their main file is. */
const processes = {
  gateway: { main: 'gateway/main.ts', what: 'the public door, with the site on the same port' },
  grader: { main: 'grader/main.ts', what: "the enclave's head" },
  courier: {
    main: 'grader/courier/main.ts',
    what: "the enclave's only contact with an outside network (--export DIR, --import DIR: by drive)",
  },
  runner: { main: 'runners/main.ts', what: 'a runner, which replays systems on this host' },
} as const;

/** `admin …`, `keys …` and the process starters. */
export function operatorCommands(program: Command, context: Context): void {
  const admin = program.command('admin').description('for maintainers');
  admin
    .command('regrade <submission>')
    .description('grade a submission again: appends a grading, the old one stays addressable')
    .requiredOption('--reason <text>', 'why; it stays on record')
    .action(async (id: string, options: { reason: string }) => {
      const ordered = await (await context.member()).post(
        `/admin/submissions/${id}/regrade`,
        { reason: options.reason },
        regradedSchema,
      );
      context.console.result(
        ordered,
        `Grading ${ordered.number} of ${ordered.submission} is ordered: ${ordered.grading}. What is shown stays until it is published.`,
      );
    });

  const keys = program.command('keys').description('signing keys and the season record');
  keys
    .command('new <file>')
    .description('make an Ed25519 key (0600, never overwritten); prints its public half')
    .action(async (file: string) => {
      const key = await newSigningKey();
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await writeFile(file, `${JSON.stringify(key)}\n`, { mode: 0o600, flag: 'wx' }).catch(
        (cause: NodeJS.ErrnoException) => {
          throw new Failure(
            'refused',
            'keys.exists',
            cause.code === 'EEXIST'
              ? `${file} is there already; a key is never overwritten`
              : `${file} can't be written (${cause.code})`,
          );
        },
      );
      context.console.result(
        { file, public: publicHalf(key) },
        `${file}\n${JSON.stringify(publicHalf(key))}`,
      );
    });
  keys
    .command('show')
    .description(
      "a season's record: its keys and splits, the first leaf of its log; keep it for vtb verify --trust",
    )
    .option('--season <id>', 'the season', 'pocket')
    .action(async (options: { season: string }) => {
      const client = await context.visitor();
      const { leaves } = await client.get(
        `/log?season=${encodeURIComponent(options.season)}&from=0&limit=1`,
        logSchema,
      );
      const [record] = leaves;
      if (record === undefined)
        throw new Failure(
          'refused',
          'keys.none',
          `${options.season} has no season record yet: the enclave has not said which splits it holds`,
        );
      context.console.result({ season: options.season, record: record.text }, record.text);
    });

  const { root } = context.config;
  if (root === null) return;
  for (const [name, { main, what }] of Object.entries(processes)) {
    program
      .command(name)
      .description(`start ${what}`)
      .allowUnknownOption()
      .helpOption(false)
      .argument('[options...]')
      .action(async (options: string[]) => {
        process.exitCode = await startProcess(root + main, options, context);
      });
  }
}

const logSchema = z.object({ leaves: z.array(z.object({ index: z.int(), text: z.string() })) });

async function startProcess(main: string, options: readonly string[], context: Context): Promise<number> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(context.config.environment))
    if (value !== undefined) environment[name] = value;
  const child = spawn(process.execPath, [main, ...options], {
    stdio: 'inherit',
    env: { ...environment, VTB_DATA: context.config.dataDir },
  });
  context.signal.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? (signal === null ? 1 : 128)));
  });
}
