import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { activityTime } from './activityTime.ts';
import { designs, designsByComponent } from './designs.ts';
import type { ResearchLine, Usage } from './line.ts';
import { researchTokens } from './researchTokens.ts';
import { anyDesign, anyEpisode, anyLine, anyUsage, exampleEpisode, exampleInstant } from './testKit.ts';

const usage = (rest: Partial<Usage>): Usage => ({
  kind: 'usage',
  at: exampleInstant(1),
  model: 'kimi-k3',
  inputTokens: 100,
  cachedTokens: 60,
  outputTokens: 10,
  ...rest,
});

describe('research tokens', () => {
  test('are summed by model, the model that wrote most first', () => {
    const read = researchTokens([
      usage({}),
      usage({ at: exampleInstant(2) }),
      usage({ model: 'gpt-6-astra', outputTokens: 500 }),
    ]);
    expect(read.models.map(({ model, calls, outputTokens }) => [model, calls, outputTokens])).toEqual([
      ['gpt-6-astra', 1, 500],
      ['kimi-k3', 2, 20],
    ]);
    expect(read.total).toEqual({ calls: 3, inputTokens: 300, cachedTokens: 180, outputTokens: 520 });
  });

  test('are unknown where nothing is declared, and where a part is unknown, but never 0 for that', () => {
    expect(researchTokens([exampleEpisode('training', 0, 5)])).toEqual({ models: [], total: null });
    const { total } = researchTokens([usage({}), usage({ outputTokens: null, at: exampleInstant(3) })]);
    expect(total).toEqual({ calls: 2, inputTokens: 200, cachedTokens: 120, outputTokens: null });
  });

  test('of one call count once, as its fullest line says', () => {
    const call = { call: 'a'.repeat(32), declared: 'claude-code' as const };
    const { total } = researchTokens([
      usage({ ...call, outputTokens: 3 }),
      usage({ ...call, outputTokens: 90, at: exampleInstant(4) }),
      usage({ ...call, outputTokens: null, at: exampleInstant(5) }),
    ]);
    expect(total).toMatchObject({ calls: 1, outputTokens: 90 });
  });

  test('don’t depend on the order of lines, nor on saying them again', () => {
    fc.assert(
      fc.property(fc.array(anyUsage, { maxLength: 20 }), fc.nat(), (lines, turn) => {
        const at = lines.length === 0 ? 0 : turn % lines.length;
        const turned = [...lines.slice(at), ...lines.slice(0, at)];
        expect(researchTokens([...turned.reverse(), ...lines])).toEqual(researchTokens(lines));
      }),
    );
  });

  test('of all models add up to the total', () => {
    fc.assert(
      fc.property(fc.array(anyUsage, { minLength: 1, maxLength: 20 }), (lines) => {
        const { models, total } = researchTokens(lines);
        for (const name of ['inputTokens', 'cachedTokens', 'outputTokens', 'calls'] as const) {
          const parts = models.map((model) => model[name]);
          const sum = parts.reduce<number | null>(
            (all, one) => (all === null || one === null ? null : all + one),
            0,
          );
          expect(total?.[name]).toBe(sum);
        }
      }),
    );
  });
});

const window = { startedAt: new Date(exampleInstant(0)), endedAt: new Date(exampleInstant(60)) };

describe('time by activity', () => {
  test('counts overlaps once, for what started last, and says what nothing covers', () => {
    const { activities, uncoveredMs } = activityTime(
      [
        exampleEpisode('training', 10, 40),
        exampleEpisode('waiting', 20, 25),
        exampleEpisode('training', 35, 50),
      ],
      window,
    );
    expect(activities).toEqual([
      { activity: 'training', elapsedMs: 35_000 },
      { activity: 'waiting', elapsedMs: 5_000 },
    ]);
    expect(uncoveredMs).toBe(20_000);
  });

  test('outside of the run counts nothing', () => {
    const read = activityTime(
      [exampleEpisode('a', -50, -1), exampleEpisode('a', 60, 99), exampleEpisode('b', -9, 3)],
      window,
    );
    expect(read).toEqual({ activities: [{ activity: 'b', elapsedMs: 3_000 }], uncoveredMs: 57_000 });
  });

  test('is what looking at every second says', () => {
    fc.assert(
      fc.property(fc.array(anyEpisode, { maxLength: 12 }), (lines) => {
        const seconds = new Map<string, number>();
        for (let second = 0; second < 60; second++) {
          const [winner] = lines
            .map((line) => ({ ...line, from: Date.parse(line.startedAt), to: Date.parse(line.endedAt) }))
            .filter(({ from, to }) => {
              const now = window.startedAt.getTime() + second * 1_000;
              return from <= now && now < to;
            })
            .sort((a, b) => b.from - a.from || a.to - b.to || (a.activity < b.activity ? 1 : -1));
          const name = winner?.activity ?? '';
          seconds.set(name, (seconds.get(name) ?? 0) + 1);
        }
        const { activities, uncoveredMs } = activityTime(lines, window);
        for (const { activity, elapsedMs } of activities)
          expect(elapsedMs).toBe((seconds.get(activity) ?? 0) * 1_000);
        expect(uncoveredMs).toBe((seconds.get('') ?? 0) * 1_000);
      }),
    );
  });

  test('doesn’t depend on the order of lines, nor on saying them again', () => {
    fc.assert(
      fc.property(fc.array(anyLine, { maxLength: 20 }), (lines) => {
        expect(activityTime([...lines.toReversed(), ...lines], window)).toEqual(activityTime(lines, window));
      }),
    );
  });
});

describe('designs', () => {
  test('come in the order they were first logged, completed by later lines', () => {
    const lines: ResearchLine[] = [
      { kind: 'design', id: 'd1', components: ['data'], hypothesis: 'more code helps' },
      { kind: 'design', id: 'd2', parent: 'd1', components: ['harness', 'data'] },
      { kind: 'design', id: 'd1', components: ['trainer', 'data'], decision: 'keep' },
    ];
    const list = designs(lines);
    expect(list).toEqual([
      {
        id: 'd1',
        parent: null,
        components: ['data', 'trainer'],
        hypothesis: 'more code helps',
        submission: null,
        decision: 'keep',
        evidence: null,
      },
      {
        id: 'd2',
        parent: 'd1',
        components: ['data', 'harness'],
        hypothesis: null,
        submission: null,
        decision: null,
        evidence: null,
      },
    ]);
    expect(designsByComponent(list)).toEqual({ data: 2, trainer: 1, harness: 1 });
  });

  test('point only to designs before them, whatever the log says, and appear once', () => {
    fc.assert(
      fc.property(fc.array(anyDesign, { maxLength: 20 }), (lines) => {
        const list = designs(lines);
        const ids = list.map(({ id }) => id);
        expect(ids).toEqual([...new Set(lines.map(({ id }) => id))]);
        for (const [place, { parent }] of list.entries())
          if (parent !== null) expect(ids.indexOf(parent)).toBeLessThan(place);
      }),
    );
  });
});
