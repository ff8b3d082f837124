import { type ReceiptVerdict, verifyReceipt } from '@vtb/protocol/messages/verifyReceipt.ts';
import { scoreOfResult } from '@vtb/protocol/scoring/metricResult.ts';
import { roundTenths } from '@vtb/protocol/scoring/roundTenths.ts';

/** Receipts are a few kilobytes; what is larger than this is another file. */
const fileBytesMax = 1024 * 1024;

/** Checks receipts that are chosen or dropped, on the reader's machine alone, by the protocol's own code. */
class Verify extends HTMLElement {
  private round = 0;

  connectedCallback(): void {
    this.addEventListener('change', () => this.check());
    this.addEventListener('dragover', (event) => event.preventDefault());
    this.addEventListener('drop', (event) => {
      event.preventDefault();
      const files = event.dataTransfer?.files;
      const input = event.target === this.input('trust') ? this.input('trust') : this.input('receipt');
      if (files === undefined || files.length === 0 || input === null) return;
      input.files = files;
      this.check();
    });
  }

  private input(part: 'receipt' | 'trust'): HTMLInputElement | null {
    return this.querySelector(`input[data-part="${part}"]`);
  }

  /** Only the newest choice is answered. */
  private async check(): Promise<void> {
    const round = ++this.round;
    const lines = await this.lines();
    if (round === this.round) this.querySelector('[data-part="verdict"]')?.replaceChildren(...lines);
  }

  private async lines(): Promise<HTMLElement[]> {
    const receipt = this.input('receipt')?.files?.[0];
    const trust = this.input('trust')?.files?.[0];
    if (receipt === undefined) return [];
    for (const file of [receipt, trust])
      if (file !== undefined && file.size > fileBytesMax)
        return [
          line(
            'bad',
            `${file.name} has ${file.size} bytes; a receipt or record has at most ${fileBytesMax}.`,
          ),
        ];
    let document: unknown;
    try {
      document = JSON.parse(await receipt.text());
    } catch {
      return [line('bad', `${receipt.name} is not JSON: choose a receipt's file.`)];
    }
    try {
      return verdictLines(
        await verifyReceipt(document, trust === undefined ? null : await trust.text()),
        trust !== undefined,
      );
    } catch (cause) {
      return [
        line(
          'bad',
          `This browser could not check it: ${cause instanceof Error ? cause.message : String(cause)}`,
        ),
      ];
    }
  }
}

function verdictLines(verdict: ReceiptVerdict, isTrusted: boolean): HTMLElement[] {
  if (!verdict.ok)
    return [
      line('bad', 'This receipt does not hold.'),
      list(
        'ul',
        verdict.problems.map(({ at, message }) => ['', `${message} (at ${at})`]),
      ),
    ];
  const { report, publication, head } = verdict;
  const { result } = report;
  const score =
    result.kind === 'scored'
      ? result.metrics
          .map(
            (metric) =>
              `${metric.name} ${roundTenths(scoreOfResult(metric).fraction)} % over ${metric.n} tasks`,
          )
          .join(', ')
      : `no score: ${result.cause}`;
  return [
    line('good', isTrusted ? 'Everything holds, by the keys you trust.' : 'Everything holds together.'),
    ...(isTrusted
      ? []
      : [
          line(
            '',
            'Whose keys they are is the receipt’s own word: choose a season record that you trust to check that too.',
          ),
        ]),
    list('dl', [
      ['Result', score],
      ['Season and track', `${report.season}, ${report.track}`],
      ['Grading', `${report.grading}, number ${report.gradingNumber}`],
      ['Submission', report.submission],
      ['System', report.system],
      ['Split', report.split],
      ['Published', publication.at],
      ['Log', `a tree of ${head.size} leaves with root ${head.root}`],
    ]),
  ];
}

function line(kind: 'good' | 'bad' | '', text: string): HTMLElement {
  const paragraph = document.createElement('p');
  if (kind !== '') paragraph.className = kind;
  paragraph.textContent = text;
  return paragraph;
}

function list(kind: 'ul' | 'dl', items: readonly (readonly [term: string, text: string])[]): HTMLElement {
  const made = document.createElement(kind);
  if (kind === 'dl') made.className = 'facts';
  for (const [term, text] of items) {
    for (const [name, words] of kind === 'dl'
      ? [['dt', term] as const, ['dd', text] as const]
      : [['li', text] as const]) {
      const item = document.createElement(name);
      item.textContent = words;
      made.append(item);
    }
  }
  return made;
}

customElements.define('vtb-verify', Verify);
