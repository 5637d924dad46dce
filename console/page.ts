import type { TemplateResult } from 'lit-html'
import type { Call } from './api/call.ts'

/** A message about a completed action, shown once on the next page. */
export interface Notice {
  text: string
  link?: { href: string; label: string }
}

/** The functions that the console offers to a page. Once the user has left the page, they do nothing. */
export interface PageContext {
  call: Call
  query: URLSearchParams
  /** Redraws the page. */
  refresh(): void
  /** Shows a notice and announces it to screen readers. */
  say(notice: Notice): void
  /** Goes to another page of the console. With `replace`, the current history entry is replaced. */
  go(href: string, options?: { notice?: Notice; replace?: boolean }): void
  /** Focuses an element of the page once it is drawn. */
  focus(selector: string): void
  /** Whether the page is still shown. */
  isOpen(): boolean
}

/** One page: its heading, its data and its view. */
export interface Page {
  title: string
  /** Links to the pages above this one (breadcrumbs). */
  trail?: readonly { href: string; label: string }[]
  /** Loads the data. Called when the page opens and after each new sign-in, so it must not discard what the user has typed. */
  load?(): Promise<void>
  view(): TemplateResult
}

/** Creates the page that is shown for one visit; `id` is the id in the URL's path. */
export type OpenPage = (context: PageContext, id: string) => Page
