import type { PublicDatabase } from './connect.ts';

/**
 * Does some work unless another process is at it: an advisory lock on a connection of its own is held meanwhile, and the
 * server gives it back when the process dies.
 *
 * name     what the work is about, e.g. a submission's id.
 * returns  false when another process has it.
 */
export async function soleWorker(
  name: string,
  sql: PublicDatabase['sql'],
  work: () => Promise<void>,
): Promise<boolean> {
  const connection = await sql.reserve();
  try {
    const [row] = await connection<
      { mine: boolean }[]
    >`SELECT pg_try_advisory_lock(hashtextextended(${name}, 0)) AS mine`;
    if (row?.mine !== true) return false;
    try {
      await work();
      return true;
    } finally {
      await connection`SELECT pg_advisory_unlock(hashtextextended(${name}, 0))`;
    }
  } finally {
    connection.release();
  }
}
