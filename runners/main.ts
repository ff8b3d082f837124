import { runnerConfig } from './config.ts';
import { deskAddress } from './desk/deskAddress.ts';
import { deskClient } from './desk/deskClient.ts';
import { runnerTokens } from './desk/runnerToken.ts';
import { readEnrolment } from './enrolment.ts';
import { hardwareText } from './hardware.ts';
import { probeIsolation } from './isolation/probeIsolation.ts';
import { boxSlotsMax } from './isolation/slotUid.ts';
import { errorFields, stderrLog } from './log.ts';
import { sweepWorkFolder } from './replay/replayFolder.ts';
import { runForever } from './runner.ts';
import { stopSignal } from './stopSignal.ts';

const log = stderrLog(() => new Date());
const stopping = stopSignal();

try {
  const config = runnerConfig();
  if (config.sandbox === 'docker')
    throw new Error('VTB_SANDBOX=docker: this runner has no container sandbox; use auto or none');
  const enrolment = await readEnrolment(config.keyPath);
  const swept = await sweepWorkFolder(config.workDir);
  if (swept.length > 0) log('warn', 'runner.swept', { folders: swept.length });
  // The last slot of all: replays lease theirs below the last hundred thousand.
  const { level, tried } = await probeIsolation({ slot: boxSlotsMax - 1 }, { signal: stopping });
  for (const { level: weak, problems } of tried.filter((t) => t.problems.length > 0))
    log('warn', 'isolation.notProven', { isolation: weak, problems: problems.join('; ').slice(0, 500) });
  const desk = deskClient({
    address: deskAddress(config.desk),
    token: runnerTokens(enrolment, { now: () => new Date() }),
  });
  const hardware = hardwareText();
  log('info', 'runner.ready', { runner: enrolment.runner, isolation: level, hardware });
  await runForever({ desk, level, hardware, workDir: config.workDir, log, stopping });
  log('info', 'runner.stopped');
} catch (error) {
  if (stopping.aborted) log('info', 'runner.stopped');
  else {
    log('error', 'runner.failed', errorFields(error));
    process.exitCode = 1;
  }
}
