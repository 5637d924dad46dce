/*
 * How a page is made. A page is one file, made on the server, that works without scripts:
 * src/partner-pages/developers/edit-webhook.page.ts is a short one. It has its name, its path, who may open it, the words
 * for what is wrong (`problems`), what it shows, and what a form that was sent does (`submit`).
 *
 * A surface is the pages of one kind of reader: `registerPages(app, { root: '/workplace/developers', pages, … })`. It
 * says who is here (`visitOf`), whether a page is for them (`insteadOf`) and what is around it (`frameOf`). The kit does
 * the rest: it checks own origin and form token, shows what is wrong beside the field with everything that was entered,
 * keeps notices out of addresses, turns errors into pages, and has what was shown written to the audit log before it
 * is sent. Pages call operations, developers' pages the routes of the partner API; none calls a store.
 *
 * fields.ts and form.ts make forms; lists.ts tables, filters, paging, CSV, tabs, timelines, confirmations and what copies
 * or reloads (with the frame's `scriptPath`); chart.ts charts, look.ts the style sheet.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Entered, Form } from './form.ts'
import type { Frame, Shown } from './frame.ts'
import type { NoticeWords } from './notices.ts'

/** Where a request goes: what its address says, and how to make others. */
export interface PageAddress {
  /** The path of another page of the same root: `path('webhooks')`; `path('')` is the root, with a slash at its end. */
  path(page: string): string
  /** The parameters of the page's path and of the root. */
  parameters: Readonly<Record<string, string>>
  /** What stands after the `?`. A filter repeats a name for several values. */
  query: URLSearchParams
}

/** Somebody who has opened a page in a session. Surfaces add what their pages read. */
export interface SignedIn extends PageAddress {
  session: {
    /** What each form of the session sends along; made by `formTokenOf`. */
    formToken: string
  }
}

/** Another page that the reader has to see instead, as its path, and what that page tells them has happened. */
export interface GoTo<Notice = string | readonly [string, ...number[]]> {
  goTo: string
  notice?: Notice
}

/** A file that a page sends instead of HTML, such as a list as CSV. */
export interface SentFile {
  file: string | Buffer
  /** Its media type. */
  type: string
  /** The name under which a browser saves it. */
  fileName: string
}

/** One page. `Visit` is what its surface knows of who opened it. Surfaces add who may: a role, or a kind of link. */
export interface Page<Visit extends SignedIn, Next = GoTo> {
  /** Unique among the pages of its surface. The log of reads has it. */
  name: string
  /** Its address below the root, which may have parameters; by default its name. */
  path?: string
  /** What the page shows. `form` is what was entered before, with what was wrong. Changes nothing. */
  show(visit: Visit, form: Form): Promise<Shown | SentFile | Next>
  /**
   * Does what was sent, and returns the path of the page to show next, or what to show instead, such as a secret that
   * is shown once. Throws `FormRejected` for what cannot be used, and the operations' errors.
   */
  submit?(visit: Visit, form: Form): Promise<string | Next | Shown>
  /**
   * Whether its form has long texts or files, so that it can have 2 MiB instead of 64 KiB. For signed-in people only.
   * Files are in UTF-8 or, as spreadsheets save them, in UTF-16 or Windows-1252 too.
   */
  takesFiles?: boolean | 'as spreadsheets save them'
  /** The fields of the form by the pointers in the operations' errors, with what to say instead of the error's detail. */
  problems?: Readonly<Record<string, { field: string; text?: string }>>
}

/** The pages of one kind of reader. */
export interface PageSet<Visit extends SignedIn, P extends Page<Visit>> {
  /** Where its pages are. May have parameters, as in `/my-bills/:customerId`. */
  root: string
  pages: readonly P[]
  publicUrl: string
  /** Runs before anything is read: counts the request. Throws `rate_limited`. */
  admit(request: FastifyRequest, reply: FastifyReply): Promise<void>
  /** Who is here, from the session's cookie; undefined if nobody is. May set cookies. */
  visitOf(request: FastifyRequest, reply: FastifyReply, at: PageAddress, page: P): Promise<Visit | undefined>
  /**
   * Whether the request's cookie names somebody who may send files to this page, however long ago they signed in. Asked
   * before the body is read. Absent if no page takes files.
   */
  maySendFiles?(request: FastifyRequest, page: P): Promise<boolean>
  /**
   * Responds to whom nobody knows. `entered` is what they sent to `path`, for a form that sends it again once they have
   * signed in.
   */
  askToSignIn(request: FastifyRequest, reply: FastifyReply, entered?: Entered): FastifyReply
  /** What a reader sees instead of a page that is not for them, or not now; undefined if it is. */
  insteadOf(page: P, visit: Visit): GoTo | Shown | undefined
  /** What is around a page. Nobody is signed in on a page for an error. */
  frameOf(visit?: Visit, shown?: Shown): Frame
  /** Writes to the audit log whose data is shown. Runs before anything is sent. */
  recordRead(visit: Visit): Promise<void>
  /** The words of notices, and of the errors that a page can cause, by code. */
  notices: NoticeWords
  /** What a page says of an error that it has no words for. */
  notNow: string
}
