import { findSubmission } from '@vtb/db/public/submissions.ts';
import { manifestShapeSchema } from '@vtb/protocol/system/manifest.ts';
import { concludeInspection } from '../actions/concludeInspection.ts';
import type { Deps } from '../deps.ts';
import { seasonOf, trackOf } from '../quota/trackOf.ts';
import { inspectInThread, inspectionBounds } from './inspectInThread.ts';
import { readSystem } from './readSystem.ts';
import { trackRules } from './trackRules.ts';

/** Inspects a sealed submission from its stored bytes and writes down what came of it. */
export async function inspectSubmission(
  input: { readonly submission: string; readonly signal: AbortSignal },
  deps: Deps,
): Promise<void> {
  const context = await findSubmission(input.submission, deps.db);
  if (context === undefined || context.submission.state !== 'checking') return;
  const loaded = seasonOf(context.entry.season, deps);
  const manifest = manifestShapeSchema.parse(context.submission.manifest);
  const rules = trackRules(loaded, trackOf(loaded, context.run.track));
  const readFileAt = readSystem(manifest, deps.chunks, input.signal);
  const problems = await inspectInThread(
    { manifest, rules },
    { readFileAt, signal: input.signal, bounds: inspectionBounds },
  );
  await deps.db.transaction((tx) => concludeInspection({ context, problems, at: deps.now() }, deps, tx));
}
