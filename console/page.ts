import type { TemplateResult } from 'lit-html'
import type { Call } from './api/call.ts'

/** Something that was done, said once on the page that is shown then. */
export interface Notice {
  text: string
  link?: { href: string; label: string }
}

/** What a page can do to the console around it. Nothing happens any more once the page was left. */
export interface PageContext {
  call: Call
  query: URLSearchParams
  /** Draws the page again. */
  refresh(): void
  /** Says what was done, in sight and to screen readers. */
  say(notice: Notice): void
  /** To another page of the console; `replace` leaves none to go back to. */
  go(href: string, options?: { notice?: Notice; replace?: boolean }): void
  /** Puts the keyboard's focus on an element of the page, once it is drawn. */
  focus(selector: string): void
  /** Whether the page is still shown. */
  isOpen(): boolean
}

/** One page: its heading, what it reads and how it looks. */
export interface Page {
  title: string
  /** The pages above it. */
  trail?: readonly { href: string; label: string }[]
  /** Reads what is shown: when the page is opened, and again after a new sign-in. Leaves alone what was typed. */
  load?(): Promise<void>
  view(): TemplateResult
}

/** Makes the page for one visit; `id` is the part of the address that names something. */
export type OpenPage = (context: PageContext, id: string) => Page
