import { html, nothing, render } from 'lit-html'
import type { Notice, OpenPage, Page, PageContext } from './page.ts'

/** A page that is currently shown. */
export interface MountedPage {
  page: Page
  context: PageContext
  /** Removes the page; calls still in progress have no effect on it. */
  leave(): void
}

/** Opens a page in `place` and starts loading its data. `place` must be empty, and is empty again after `leave`. */
export function mountPage(
  place: HTMLElement,
  openPage: OpenPage,
  id: string,
  around: Pick<PageContext, 'call' | 'go'>,
): MountedPage {
  let isOpen = true
  let notice: Notice | undefined
  const refresh = () => {
    if (isOpen) render(layout(page, notice), place)
  }
  const context: PageContext = {
    call: around.call,
    query: new URLSearchParams(location.search),
    refresh,
    say(said) {
      notice = said
      refresh()
    },
    go: (href, options) => {
      if (isOpen) around.go(href, options)
    },
    focus(selector) {
      if (isOpen && !place.hidden) place.querySelector<HTMLElement>(selector)?.focus()
    },
    isOpen: () => isOpen,
  }
  const page = openPage(context, id)
  refresh()
  void page.load?.()
  return {
    page,
    context,
    leave() {
      isOpen = false
      render(nothing, place)
    },
  }
}

function layout({ title, trail = [], view }: Page, notice: Notice | undefined) {
  return html`${
    trail.length === 0
      ? nothing
      : html`<nav class="trail" aria-label="Breadcrumb">
          ${trail.map(({ href, label }) => html`<a href=${href}>${label}</a>`)}
        </nav>`
  }
    <h1 tabindex="-1">${title}</h1>
    <div role="status">${notice === undefined ? nothing : noticeBox(notice)}</div>
    ${view()}`
}

function noticeBox({ text, link }: Notice) {
  return html`<p class="notice">
    ${text} ${link === undefined ? nothing : html`<a href=${link.href}>${link.label}</a>`}
  </p>`
}
