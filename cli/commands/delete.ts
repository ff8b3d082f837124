import { deletedSystemSchema } from '@vtb/protocol/wire/submissions.ts';
import type { Command } from 'commander';
import { byteText } from '../byteText.ts';
import type { Context } from '../context.ts';

/** Chunk by chunk, under locks: a system of 65,536 chunks takes minutes. */
const erasingMs = 600_000;

/** `delete`. */
export function deleteCommand(program: Command, context: Context): void {
  program
    .command('delete <id>')
    .description(
      "have the bytes of a submission's system erased; prints the service's signed statement (digests and results stay)",
    )
    .action(async (id: string) => {
      const client = await context.member();
      const answer = await client.raw(`/submissions/${id}/weights`, { method: 'DELETE' }, erasingMs);
      const deleted = deletedSystemSchema.parse(await answer.json());
      const kept =
        deleted.chunksKept === 0
          ? ''
          : `\n${deleted.chunksKept} more stay: another submission of your team needs them`;
      context.console.result(
        deleted,
        `${deleted.chunksDeleted} chunks (${byteText(deleted.bytesDeleted)}) of ${id} were erased at ${deleted.deletedAt}${kept}\n${deleted.statement}`,
      );
    });
}
