import { appendFile, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { activityTime } from '@vtb/protocol/researchLog/activityTime.ts';
import { readResearchLog } from '@vtb/protocol/researchLog/readResearchLog.ts';
import { researchTokens } from '@vtb/protocol/researchLog/researchTokens.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { readClaudeCode } from './claudeCode.ts';
import { readCodex } from './codex.ts';
import type { Transcript } from './transcript.ts';
import { transcriptFiles } from './transcriptFiles.ts';
import { withinRun } from './withinRun.ts';

const signal = new AbortController().signal;
const fixtures = fileURLToPath(new URL('./fixtures', import.meta.url));
const scratch = await mkdtemp(join(tmpdir(), 'vtb-transcripts-'));
afterAll(() => rm(scratch, { recursive: true, force: true }));

const claudeFiles = await transcriptFiles(join(fixtures, 'claude-code'), signal);
const codexFiles = await transcriptFiles(join(fixtures, 'codex'), signal);
const byModel = ({ usage }: Pick<Transcript, 'usage'>) =>
  Object.fromEntries(
    researchTokens(usage).models.map(({ model, calls, inputTokens, cachedTokens, outputTokens }) => [
      model,
      [calls, inputTokens, cachedTokens, outputTokens],
    ]),
  );
const day = (from: string, to: string) => ({
  startedAt: new Date(`2026-12-01T${from}Z`),
  endedAt: new Date(`2026-12-01T${to}Z`),
});
const timeOf = ({ episodes }: Transcript, from: string, to: string) => {
  const { activities, uncoveredMs } = activityTime(episodes, day(from, to));
  return { ...Object.fromEntries(activities.map((one) => [one.activity, one.elapsedMs])), uncoveredMs };
};

describe.each([
  ['claude-code', readClaudeCode, claudeFiles],
  ['codex', readCodex, codexFiles],
] as const)('%s', (kind, read, files) => {
  test('every line is one that a research log takes, and says that a transcript declares it', async () => {
    const { usage, episodes } = await read(files, signal);
    const text = [...usage, ...episodes].map((line) => JSON.stringify(line)).join('\n');
    const checked = readResearchLog(text);
    expect(checked).toMatchObject({ problems: [], repeated: 0 });
    for (const line of [...usage, ...episodes]) expect(line.declared).toBe(kind);
  });

  test('nothing that was said in it leaves: no words, names of tools, paths or ids', async () => {
    const { usage, episodes } = await read(files, signal);
    const text = JSON.stringify([usage, episodes]);
    expect(text).not.toMatch(/Improve|python|Bash|exec_command|home|msg_|call_1|toolu|5a0d5587|019fa1/);
  });

  test('the order in which files are read changes no sum', async () => {
    const one = await read(files, signal);
    const two = await read(files.toReversed(), signal);
    expect(researchTokens(two.usage).total).toEqual(researchTokens(one.usage).total);
    expect(two.episodes).toEqual(one.episodes);
  });

  test('read file by file, as lines of one log, it comes to the same', async () => {
    const whole = await read(files, signal);
    const single = await Promise.all(files.map((file) => read([file], signal)));
    expect(byModel({ usage: single.flatMap(({ usage }) => usage) })).toEqual(byModel(whole));
    const window = day('09:00:00', '16:00:00');
    expect(
      activityTime(
        single.flatMap(({ episodes }) => episodes),
        window,
      ),
    ).toEqual(activityTime(whole.episodes, window));
  });

  test('read while it grows, its log comes to the same as when it was read at its end', async () => {
    const [file = ''] = files;
    const lines = (await readFile(file, 'utf8')).split('\n');
    const growing = join(scratch, `${kind}.jsonl`);
    await writeFile(growing, '');
    const seen: Transcript[] = [];
    for (const line of lines) {
      await appendFile(growing, line.slice(0, 20));
      seen.push(await read([growing], signal));
      await appendFile(growing, `${line.slice(20)}\n`);
    }
    const whole = await read([file], signal);
    expect(byModel({ usage: seen.flatMap(({ usage }) => usage) })).toEqual(byModel(whole));
    const window = day('09:00:00', '16:00:00');
    expect(
      activityTime(
        seen.flatMap(({ episodes }) => episodes),
        window,
      ),
    ).toEqual(activityTime(whole.episodes, window));
  });

  test('a file of something else gives nothing', async () => {
    const other = join(scratch, `${kind}-other.jsonl`);
    await writeFile(
      other,
      '{"timestamp":"2026-12-01T10:00:00Z"}\n[1]\n"x"\n{"type":"assistant","message":7}\n',
    );
    expect(await read([other], signal)).toEqual({
      usage: [],
      episodes: [],
      files: 1,
      unfinished: 0,
      unreadable: 2,
    });
  });
});

describe('Claude Code', () => {
  test('counts each call once, over lines, agents’ files and resumed sessions, with its fullest counts', async () => {
    const transcript = await readClaudeCode(claudeFiles, signal);
    expect(byModel(transcript)).toEqual({
      'kimi-k3': [
        4,
        19_204 + 19_506 + 20_002 + 21_003,
        18_000 + 19_200 + 19_500 + 21_000,
        210 + 90 + 1_000 + 500,
      ],
      'kimi-k3-mini': [2, 50 + 710, 700, 460],
    });
    expect(transcript).toMatchObject({ files: 3, unfinished: 1, unreadable: 1 });
  });

  test('tells the model’s time from its tools’, and leaves the wait for a person uncovered', async () => {
    expect(timeOf(await readClaudeCode(claudeFiles, signal), '10:00:00', '14:01:00')).toEqual({
      // 10 s, then 10 s; agents from 10:30:21 to 10:30:52; 10 s to the last answer; 30 s after the resumption.
      'model at work': 10_000 + 10_000 + 31_000 + 10_000 + 30_000,
      // The training, and the agents' minute but for what their model took.
      'tools at work': 1_800_000 + 29_000,
      uncoveredMs: 14_460_000 - 91_000 - 1_829_000,
    });
  });

  test('leaves unknown what a provider does not say', async () => {
    const file = join(scratch, 'partial.jsonl');
    const message = { id: 'm1', model: 'glm-5.2', usage: { input_tokens: 900, output_tokens: 40 } };
    await writeFile(
      file,
      `${JSON.stringify({ type: 'assistant', timestamp: '2026-12-01T10:00:00Z', message })}\n`,
    );
    expect((await readClaudeCode([file], signal)).usage).toMatchObject([
      { model: 'glm-5.2', inputTokens: null, cachedTokens: null, outputTokens: 40 },
    ]);
  });
});

describe('Codex', () => {
  test('counts each call once, over repeated totals, forks, agents and a count that begins anew', async () => {
    const transcript = await readCodex(codexFiles, signal);
    expect(byModel(transcript)).toEqual({
      'gpt-6-astra': [3, 9_512 + 10_000 + 11_488, 9_000 + 9_000, 213 + 200 + 287],
      'gpt-6-astra-mini': [3, 10_500 + 700 + 5_000, 9_500, 1_000 + 80 + 150],
    });
    expect(transcript).toMatchObject({ files: 3, unfinished: 1, unreadable: 0 });
  });

  test('tells the model’s time from its tools’', async () => {
    const [parent = ''] = codexFiles;
    expect(timeOf(await readCodex([parent], signal), '10:00:00', '11:00:40')).toEqual({
      'model at work': 20_000 + 10_000 + 40_000,
      'tools at work': 1_200_000,
      uncoveredMs: 3_640_000 - 70_000 - 1_200_000,
    });
  });

  test('reads running totals alone by what was added', async () => {
    const file = join(scratch, 'totals.jsonl');
    const count = (second: number, input: number, output: number) =>
      `${JSON.stringify({
        timestamp: `2026-12-01T10:00:0${second}Z`,
        type: 'event_msg',
        payload: {
          type: 'token_count',
          info: { total_token_usage: { input_tokens: input, output_tokens: output } },
        },
      })}\n`;
    await writeFile(file, count(1, 100, 10) + count(2, 100, 10) + count(3, 350, 25));
    const { usage } = await readCodex([file], signal);
    expect(
      usage.map(({ model, inputTokens, cachedTokens, outputTokens }) => [
        model,
        inputTokens,
        cachedTokens,
        outputTokens,
      ]),
    ).toEqual([
      [null, 100, null, 10],
      [null, 250, null, 15],
    ]);
  });
});

describe('what belongs to a run', () => {
  test('is what happened between its start and its end', async () => {
    const transcript = await readClaudeCode(claudeFiles, signal);
    const run = { startedAt: '2026-12-01T10:30:30Z', endedAt: '2026-12-01T10:31:30Z' };
    const { lines, outside } = withinRun(transcript, run);
    expect(byModel({ usage: lines.filter((line) => line.kind === 'usage') })).toEqual({
      'kimi-k3': [1, 20_002, 19_500, 1_000],
      'kimi-k3-mini': [2, 760, 700, 460],
    });
    expect(lines.length + outside).toBe(transcript.usage.length + transcript.episodes.length);
    expect(withinRun(transcript, { ...run, endedAt: null }).lines.length).toBeGreaterThan(lines.length);
  });
});

test('files are found in folders of folders, sorted, and links are not followed', async () => {
  expect(claudeFiles.map((file) => file.slice(fixtures.length))).toEqual(
    [...claudeFiles].sort().map((file) => file.slice(fixtures.length)),
  );
  expect(claudeFiles).toHaveLength(3);
  const folder = await mkdtemp(join(scratch, 'links-'));
  await symlink(join(fixtures, 'codex'), join(folder, 'sessions'));
  await symlink(claudeFiles[0] ?? '', join(folder, 'one.jsonl'));
  await expect(transcriptFiles(folder, signal)).rejects.toMatchObject({ kind: 'usage' });
  await expect(transcriptFiles(join(folder, 'nothing'), signal)).rejects.toMatchObject({ kind: 'usage' });
});
