/**
 * Follows a final: listens to its events and, at each change, puts the page's own new state in place. Without script the
 * page is the same at the next load.
 */
class Follow extends HTMLElement {
  private source: EventSource | null = null;

  connectedCallback(): void {
    const { submission, moving } = this.dataset;
    if (submission === undefined || moving === undefined) return;
    this.source = new EventSource(`/api/v1/submissions/${submission}/events`);
    for (const kind of ['state', 'grading']) this.source.addEventListener(kind, () => this.refresh());
  }

  disconnectedCallback(): void {
    this.source?.close();
  }

  private async refresh(): Promise<void> {
    const response = await fetch(location.href, { headers: { Accept: 'text/html' } });
    if (!response.ok) return;
    const next = new DOMParser().parseFromString(await response.text(), 'text/html');
    const fresh = next.querySelector('vtb-follow');
    const main = document.querySelector('main');
    const freshMain = next.querySelector('main');
    if (fresh === null || main === null || freshMain === null) return;
    if (
      fresh.querySelector('[data-state]')?.getAttribute('data-state') ===
      this.querySelector('[data-state]')?.getAttribute('data-state')
    )
      return;
    if (fresh.hasAttribute('data-moving')) this.replaceChildren(...fresh.childNodes);
    else {
      // The end of the way brings a result with it: take the whole new page, and stop listening.
      this.source?.close();
      main.replaceChildren(...freshMain.childNodes);
    }
  }
}

customElements.define('vtb-follow', Follow);
