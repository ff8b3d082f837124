import { groupDigits } from './groupDigits.ts';
import type { Inspected } from './inspect.ts';
import { systemLimits } from './limits.ts';
import type { Manifest } from './manifest.ts';
import { newProblemList, type ProblemList, type SystemProblem } from './problemList.ts';
import { quoteName } from './quoteName.ts';
import type { TrackRules } from './trackRules.ts';

/**
 * The part of inspection that needs no bytes: the track, what may be edited, the harness's files. A gateway
 * can answer with it at commit, before anything is uploaded.
 */
export function inspectPlan({ manifest, rules }: Inspected): readonly SystemProblem[] {
  const problems = newProblemList();
  if (manifest.track !== rules.track) {
    const message = `The system is for track ${quoteName(manifest.track)}, the run is on ${quoteName(rules.track)}`;
    problems.add(
      'system.track',
      'system.toml',
      message,
      `Write track = "${rules.track}", or submit to another run.`,
    );
  }
  for (const edit of manifest.edits.filter((name) => !rules.edits.includes(name))) {
    const message = `"${edit}" may not be edited on this track, which allows ${rules.edits.join(', ') || 'nothing'}`;
    problems.add('system.edits', 'system.toml', message, `Take "${edit}" out of edits.`);
  }
  checkHarness(manifest, rules, problems);
  return problems.all();
}

function checkHarness(manifest: Manifest, rules: TrackRules, problems: ProblemList): void {
  const files = manifest.files.filter((file) => file.role === 'harness');
  const declared = manifest.edits.includes('harness');
  const count = groupDigits(files.length);
  const editable = rules.edits.includes('harness');
  if (files.length === 0) {
    if (declared && editable) {
      const message = 'edits names "harness", and harness/ has no file';
      problems.add(
        'harness.missing',
        'harness/',
        message,
        'Add harness/run.sh, or take "harness" out of edits.',
      );
    }
    return;
  }
  if (!editable) {
    const first = quoteName(files[0]?.path ?? '');
    const message = `harness/ has ${count} file(s), the first ${first}; this track runs its own harness`;
    problems.add('harness.notEditable', 'harness/', message, 'Leave harness/ out.');
  } else if (!declared) {
    const message = `harness/ has ${count} file(s), and edits doesn't name "harness"`;
    problems.add(
      'harness.notDeclared',
      'system.toml',
      message,
      'Add "harness" to edits, or leave harness/ out.',
    );
  }
  const { harnessBytesMax, harnessFileCountMax } = systemLimits;
  const bytes = files.reduce((sum, file) => sum + file.size, 0);
  if (bytes > harnessBytesMax) {
    const message = `harness/ has ${groupDigits(bytes)} bytes, more than ${groupDigits(harnessBytesMax)}`;
    problems.add('harness.limit', 'harness/', message, 'Leave out what the harness does not need.');
  }
  if (files.length > harnessFileCountMax) {
    const message = `harness/ has ${count} files, more than ${groupDigits(harnessFileCountMax)}`;
    problems.add('harness.limit', 'harness/', message, 'Pack files together, or leave some out.');
  }
  const run = files.find((file) => file.path === 'harness/run.sh');
  if (run === undefined || run.size === 0) {
    const message = `harness/run.sh is ${run === undefined ? 'missing' : 'empty'}`;
    problems.add('harness.runMissing', 'harness/run.sh', message, 'Add it: it is what the runner starts.');
  }
}
