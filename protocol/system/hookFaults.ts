import { quoteName } from './quoteName.ts';

/** A member of a config that would make an engine run or build something else than the track's model. */
export interface HookFault {
  /** The member's place, as `vision_config.auto_map`. */
  readonly place: string;
  readonly clause: string;
}

/** More than a config of honest size can have; the list of problems is bounded anyway. */
const faultCountMax = 100;

/**
 * Finds members, at any depth, that load code, quantize, attach adapters or name foreign kernels.
 *
 * value  JSON that was read with bounded depth.
 */
export function hookFaults(value: unknown): HookFault[] {
  const faults: HookFault[] = [];
  visit(value, '', faults);
  return faults;
}

const refusedMembers = new Map([
  ['auto_map', 'loads code from the folder or from elsewhere'],
  ['trust_remote_code', 'allows foreign code'],
  ['custom_pipelines', 'loads code from the folder or from elsewhere'],
  ['custom_generate', 'loads code from the folder or from elsewhere'],
  ['quantization_config', 'makes the engine quantize'],
  ['compression_config', 'makes the engine quantize'],
  ['quantization', 'makes the engine quantize'],
  ['kernel_config', 'replaces kernels'],
  ['use_kernels', 'replaces kernels'],
  ['peft_type', 'makes this an adapter'],
  ['adapter_config', 'attaches an adapter'],
  ['lora_config', 'attaches an adapter'],
]);

function visit(value: unknown, place: string, faults: HookFault[]): void {
  if (typeof value !== 'object' || value === null || faults.length >= faultCountMax) return;
  for (const [name, member] of Object.entries(value)) {
    const inner = place === '' ? name : `${place}.${name}`;
    const refused = refusedMembers.get(name);
    // Savers write null for what a model hasn't got.
    if (refused !== undefined && member !== null) faults.push({ place: inner, clause: refused });
    if (/(?:attn|attention|experts)_implementation/.test(name)) faults.push(...kernelFaults(member, inner));
    visit(member, inner, faults);
  }
}

/** An implementation is one of the library's own words; with a slash or more it is fetched from elsewhere. */
function kernelFaults(member: unknown, place: string): HookFault[] {
  if (typeof member === 'string') {
    if (/^[a-z0-9_]{1,40}$/.test(member)) return [];
    return [{ place, clause: `names the foreign kernel ${quoteName(member)}` }];
  }
  if (typeof member !== 'object' || member === null) return [];
  return Object.entries(member).flatMap(([name, inner]) => kernelFaults(inner, `${place}.${name}`));
}
