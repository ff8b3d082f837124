import type { Season } from '@vtb/protocol/season/definition.ts';

type Property = keyof Season['safeguards'];

/** The properties by which benchmarks of research agents differ, in plain words. */
export const properties: readonly {
  readonly key: Property;
  readonly title: string;
  readonly about: string;
}[] = [
  {
    key: 'trajectoryFeedback',
    title: 'Trajectory feedback',
    about: 'on validation the agent sees whole transcripts, not a number alone',
  },
  {
    key: 'iterativeRevision',
    title: 'Iterative revision',
    about: 'it may measure, revise and measure again while its clock runs',
  },
  { key: 'data', title: 'Data', about: 'it may choose and make training data' },
  { key: 'trainer', title: 'Trainer', about: 'it may change how the model is trained' },
  { key: 'harness', title: 'Harness', about: 'it may change the program around the model' },
  {
    key: 'jointCoDesign',
    title: 'Joint co-design',
    about: 'it may change all of them together, in one system',
  },
  {
    key: 'devTestIsolation',
    title: 'Dev/test isolation',
    about: 'tasks that give feedback are not the tasks that count',
  },
  {
    key: 'trainEvalIsolation',
    title: 'Train/eval isolation',
    about: 'research and grading happen in separate places',
  },
];

/** Other benchmarks of research agents: what they are known to let an agent change. What is not stated is left open. */
export const neighbours: readonly {
  readonly name: string;
  readonly has: Readonly<Partial<Record<Property, boolean>>>;
}[] = [
  { name: 'RSIBench-Data', has: { data: true, trainer: false, harness: false, jointCoDesign: false } },
  { name: 'PostTrainBench', has: { data: true, trainer: true, harness: false } },
  { name: 'RSIGym', has: { data: true, harness: true, jointCoDesign: true } },
];
