import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { statusOf } from '../platform/http/errors/request-errors.ts'
import { asDomainError } from '../platform/http/plugins/error-handler.ts'
import { bodyLimitBytes } from '../platform/http/server-limits.ts'
import { DomainError } from '../platform/kernel/errors.ts'
import { createCookie, isOwnOrigin } from './cookies.ts'
import { type Entered, Form, FormRejected, formIn, type Problem } from './form.ts'
import { type Frame, type Shown, sendPage } from './frame.ts'
import { html } from './html.ts'
import { noticeIn, writtenNotice } from './notices.ts'
import type { GoTo, Page, PageAddress, PageSet, SentFile, SignedIn } from './page-set.ts'
import { maxUploadBytes, readFilesAsText } from './uploads.ts'
import { words } from './words.ts'

/** For how long a notice waits for the page that shows it. */
const noticeSeconds = 60

/** What has happened: the notice that says so and, of an error, its code. */
interface Told {
  notice?: string | undefined
  code?: string | undefined
}

/** Serves the pages of a surface. See page-set.ts. */
export function registerPages<Visit extends SignedIn, P extends Page<Visit>>(
  app: FastifyInstance,
  set: PageSet<Visit, P>,
): void {
  const { publicUrl, frameOf } = set
  const noticeWords = { ...words.notices, ...set.notices }
  const noticeCookie = createCookie(publicUrl, 'housebill-notice', { of: 'path' })
  for (const page of set.pages) registerPage(page)

  function registerPage(page: P): void {
    const address = `${set.root}/${page.path ?? page.name}`
    app.get(address, (request, reply) =>
      inSession(request, reply, page, (visit) =>
        showPage(request, reply, page, visit, new Form(new URLSearchParams())),
      ),
    )
    if (page.submit === undefined) return
    const onRequest = (request: FastifyRequest, reply: FastifyReply) => admitUpload(request, reply, page)
    const files = page.takesFiles ? { bodyLimit: maxUploadBytes, errorHandler: sendErrorPage, onRequest } : {}
    app.post(address, files, (request, reply) =>
      inSession(request, reply, page, async (visit) => {
        const form = formIn(request)
        if (!isOwnOrigin(request, publicUrl)) return sendStale(reply, frameOf(), request.url)
        // A form of an earlier session. The page has the new token, and nothing is done before it is sent again.
        if (form.text('formToken') !== visit.session.formToken)
          return showPage(request, reply.code(403), page, visit, form, { notice: 'form_from_before' })
        try {
          const next = await page.submit?.(visit, form)
          return await sendNext(request, reply, visit, form, typeof next === 'object' ? next : { goTo: next ?? '' })
        } catch (error) {
          return sendProblem(request, reply, page, visit, form, error)
        }
      }),
    )
  }

  /**
   * Before more is read than any other page takes: who sends it? From nobody it is neither received nor kept. A session
   * that ends while it is sent is found afterwards, when all of it is there to be sent again.
   */
  async function admitUpload(request: FastifyRequest, reply: FastifyReply, page: P): Promise<FastifyReply | undefined> {
    // A body in chunks has no length, and can be of any.
    if (Number(request.headers['content-length']) <= bodyLimitBytes) return undefined
    await set.admit(request, reply)
    if (isOwnOrigin(request, publicUrl) && (await set.maySendFiles?.(request, page))) return undefined
    const { title, text } = words.notReceived
    return sendSentence(reply.code(403), frameOf(), title, { text, path: request.url })
  }

  /** A body that is too large becomes a page too. */
  function sendErrorPage(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    return orErrorPage(request, reply, { frame: frameOf(), notNow: set.notNow }, () => Promise.reject(error))
  }

  /** Calls `run` if somebody is signed in and the page is for them. */
  function inSession(
    request: FastifyRequest,
    reply: FastifyReply,
    page: P,
    run: (visit: Visit) => Promise<FastifyReply>,
  ): Promise<FastifyReply> {
    return orErrorPage(request, reply, { frame: frameOf(), notNow: set.notNow }, async () => {
      await set.admit(request, reply)
      if (page.takesFiles) await readFilesAsText(request, page.takesFiles !== true)
      const visit = await set.visitOf(request, reply, addressOf(set.root, request), page)
      if (visit === undefined) {
        const isForm = request.method === 'POST' && isOwnOrigin(request, publicUrl)
        return set.askToSignIn(request, reply, isForm ? enteredIn(request, page) : undefined)
      }
      const instead = set.insteadOf(page, visit)
      if (instead === undefined) return run(visit)
      if ('goTo' in instead) return goTo(reply, instead.goTo)
      return sendPage(instead.isRefused ? reply.code(403) : reply, frameOf(visit, instead), instead)
    })
  }

  /** What went wrong with a form: its fields, or what happened meanwhile. Nothing that was entered is lost. */
  async function sendProblem(
    request: FastifyRequest,
    reply: FastifyReply,
    page: P,
    visit: Visit,
    form: Form,
    error: unknown,
  ): Promise<FastifyReply> {
    const problems = problemsOf(page, error)
    if (problems !== undefined) {
      const wait = error instanceof FormRejected ? error.retryAfterSeconds : undefined
      if (wait !== undefined) reply.header('Retry-After', String(wait))
      const code = error instanceof DomainError ? error.code : undefined
      return showPage(request, reply.code(wait === undefined ? 422 : 429), page, visit, form.with(problems), { code })
    }
    const happened = noticeOfError(error)
    if (!(error instanceof DomainError) || happened === undefined) throw error
    if (error.code === 'service_unavailable') request.log.warn({ err: error.cause ?? error }, 'dependency unavailable')
    if (error.retryAfterSeconds !== undefined) reply.header('Retry-After', String(Math.ceil(error.retryAfterSeconds)))
    const shown = await page.show(visit, form).catch((): GoTo => ({ goTo: visit.path('') }))
    if (!('goTo' in shown)) reply.code(statusOf(error.code))
    return sendNext(request, reply, visit, form, shown, { notice: happened, code: error.code })
  }

  async function showPage(
    request: FastifyRequest,
    reply: FastifyReply,
    page: P,
    visit: Visit,
    form: Form,
    told: Told = {},
  ): Promise<FastifyReply> {
    let shown: Shown | SentFile | GoTo
    try {
      shown = await page.show(visit, form)
    } catch (error) {
      // What the page shows is not available at present, for example because the prices have run out.
      const isLasting = error instanceof DomainError && error.retryAfterSeconds === undefined
      const happenedNow = noticeOfError(error)
      if (!isLasting || happenedNow === undefined) throw error
      const goingOn = { text: noticeIn(noticeWords, happenedNow) ?? '', path: visit.path('') }
      return sendSentence(reply, frameOf(), words.notNow, { ...goingOn, error: error.code })
    }
    return sendNext(request, reply, visit, form, shown, told)
  }

  /** Sends what comes next. That data was shown is in the audit log before. */
  async function sendNext(
    request: FastifyRequest,
    reply: FastifyReply,
    visit: Visit,
    form: Form,
    next: Shown | SentFile | GoTo,
    told: Told = {},
  ): Promise<FastifyReply> {
    if ('goTo' in next) {
      const notice = told.notice ?? (next.notice && writtenNotice(next.notice))
      if (notice !== undefined) noticeCookie.set(reply, notice, { seconds: noticeSeconds, path: noticePath(visit) })
      return goTo(reply, next.goTo)
    }
    await set.recordRead(visit)
    if ('file' in next)
      return reply
        .header('Content-Type', next.type)
        .header('Content-Disposition', `attachment; filename="${next.fileName}"`)
        .header('Cache-Control', 'private, no-store')
        .send(next.file)
    const kept = noticeCookie.in(request)
    if (kept !== undefined) noticeCookie.clear(reply, { path: noticePath(visit) })
    const happened = noticeIn(noticeWords, told.notice ?? kept ?? '')
    const notice = form.problems.length > 0 || happened === undefined ? null : noticeBox(happened)
    const frame = frameOf(visit, next)
    const body = html`${notice}${errorReference(request, frame, told.code)}${next.body}`
    return sendPage(reply, frame, { ...next, body }, form.problems)
  }

  /** Only the session's own pages get its notices, and no address does: others can be given those. */
  function noticePath(visit: Visit): string {
    return visit.path('').slice(0, -1)
  }

  /** What a page tells of an error, as `noticeIn` reads it; undefined for one that no page can cause. */
  function noticeOfError(error: unknown): string | undefined {
    if (!(error instanceof DomainError)) return undefined
    const { code, retryAfterSeconds = 1 } = error
    const notice = code === 'rate_limited' ? writtenNotice([code, Math.ceil(retryAfterSeconds)]) : code
    return noticeIn(noticeWords, notice) === undefined ? undefined : notice
  }
}

/** Calls `run`. An error becomes a page, in this frame and these words. Only unexpected ones are logged as such. */
export async function orErrorPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { frame, notNow }: { frame: Frame; notNow: string },
  run: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await run()
  } catch (error) {
    const { code, cause, retryAfterSeconds } = asDomainError(error, request)
    if (code === 'internal_error') request.log.error({ err: error }, 'a page failed unexpectedly')
    if (code === 'service_unavailable') request.log.warn({ err: cause ?? error }, 'dependency unavailable')
    const wait = retryAfterSeconds && Math.max(1, Math.ceil(retryAfterSeconds))
    if (wait !== undefined) reply.header('Retry-After', String(wait))
    const isBusy = wait !== undefined || code === 'internal_error'
    const { title, text } = isBusy
      ? { title: words.busy.title, text: words.busy.text(wait) }
      : code === 'not_found'
        ? words.notFound
        : code === 'payload_too_large'
          ? words.tooLarge
          : { title: words.notNow, text: notNow }
    return sendSentence(reply.code(statusOf(code)), frame, title, { text, error: code })
  }
}

/** The page for a form that was not ours. */
export function sendStale(reply: FastifyReply, frame: Frame, path: string): FastifyReply {
  return sendSentence(reply.code(403), frame, words.stale.title, { text: words.stale.text, path })
}

/** Sends a page of one sentence, and the way on to `path`. */
function sendSentence(
  reply: FastifyReply,
  frame: Frame,
  title: string,
  { text, path, error }: { text: string; path?: string; error?: string },
): FastifyReply {
  const goingOn = path === undefined ? null : html`<p><a class="button" href="${path}">${words.goOn}</a></p>`
  const reference = errorReference(reply.request, frame, error)
  return sendPage(reply, frame, { title, body: html`<h1>${title}</h1><p>${text}</p>${reference}${goingOn}` })
}

/** Where a developer reads about an error, and what the operator finds it by. */
function errorReference({ id }: FastifyRequest, { errorDocs }: Frame, code?: string) {
  if (errorDocs === undefined || code === undefined) return null
  return html`<p class="hint">Error <a href="${errorDocs}/${code}"><code>${code}</code></a>, request id <code>${id}</code></p>`
}

/** What was sent by somebody whom nobody knows. */
function enteredIn(request: FastifyRequest, { takesFiles = false }: Pick<Page<never>, 'takesFiles'>): Entered {
  return { form: formIn(request), path: request.url, takesFiles: takesFiles !== false }
}

/** What happened before the page, in a box. */
function noticeBox(notice: string) {
  return html`<div class="notice" role="status"><p>${notice}</p></div>`
}

/** Sends the browser to another page. */
export function goTo(reply: FastifyReply, path: string): FastifyReply {
  return reply.header('Cache-Control', 'private, no-store').redirect(path, 303)
}

/** What the address of a request says. */
function addressOf(root: string, { params, url }: FastifyRequest): PageAddress {
  const parameters = params as Readonly<Record<string, string>>
  const ownRoot = root.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''))
  const query = new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '')
  return { parameters, query, path: (page) => `${ownRoot}/${page}` }
}

/** What is wrong with the fields of a form; undefined for an error that is about something else. */
function problemsOf({ problems = {} }: Pick<Page<never>, 'problems'>, error: unknown): readonly Problem[] | undefined {
  if (error instanceof FormRejected) return error.problems
  if (!(error instanceof DomainError) || error.fields.length === 0) return undefined
  const found = error.fields.flatMap(({ pointer, detail }) => {
    const problem = problems[pointer] ?? nearest(problems, pointer)
    return problem === undefined ? [] : { text: detail, ...problem }
  })
  return found.length === 0
    ? undefined
    : found.filter((each, index) => found.findIndex(({ field }) => field === each.field) === index)
}

/** An error about a part of what a field holds, such as one of several needs, is the field's. */
function nearest<P>(problems: Readonly<Record<string, P>>, pointer: string): P | undefined {
  const parent = pointer.slice(0, pointer.lastIndexOf('/'))
  return parent === '' ? undefined : (problems[parent] ?? nearest(problems, parent))
}
