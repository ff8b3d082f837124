import { cryptoRandom } from '@vtb/seasons/random.ts';
import { graderConfig } from './config.ts';
import { openDesk } from './desk/openDesk.ts';
import { gradeForever } from './grade.ts';
import { errorFields, stderrLog } from './log.ts';
import { sendSplits } from './notices.ts';
import { openEnclave } from './openEnclave.ts';
import { stopSignal } from './stopSignal.ts';
import { watchedKeys } from './trustedKeys.ts';
import { fillVault } from './vault/fillVault.ts';
import { writeWhole } from './writeWhole.ts';

const log = stderrLog('grader', () => new Date());
const stop = stopSignal();

try {
  const config = graderConfig();
  await using enclave = await openEnclave(config, log);
  await fillVault([...enclave.seasons.values()], {
    vault: enclave.vault,
    random: cryptoRandom(),
    now: enclave.now,
    log,
  });
  await sendSplits(enclave);
  const desk = await openDesk(config.desk, { enclave, runnerKeys: watchedKeys(config.paths.runnerKeys) });
  try {
    await writeWhole(config.paths.deskUrl, `${desk.url}\n`);
    log('info', 'grader.ready', { desk: desk.url });
    await gradeForever({ everyMs: config.lookEveryMs, sweepEveryMs: config.sweepEveryMs }, stop, enclave);
  } finally {
    await desk.close();
  }
  log('info', 'grader.stopped');
} catch (error) {
  log('error', 'grader.failed', errorFields(error));
  process.exitCode = 1;
}
