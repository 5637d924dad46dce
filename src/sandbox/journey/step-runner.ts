import { ApiError, HousebillClient, HousebillError, TokenRefusedError } from '../../../clients/typescript/src/entry.ts'
import { formatPounds, pence } from '../../platform/kernel/money.ts'

/** Receives the progress of a journey. */
export interface Listener {
  /** Called after a step has succeeded. */
  onStep(step: Step): void
  /** Called when the following steps are about a different tenant; null means the whole household. */
  onTenant(heading: string | null): void
}

interface DescribedStep<Response> {
  /** If the journey cannot continue although the response is correct, returns why. */
  stop?: (response: Response) => { reason: string; remedy: string } | undefined
  /** Describes the response in one line. */
  brief: (response: Response) => string
  money?: (response: Response) => string
}

interface DocumentStep {
  name: string
  /** The document's URL. Its query contains a token, which is never shown. */
  url: string
  contentType: string
  /** Saves the document. */
  keep: (bytes: Buffer) => Promise<void>
  brief: (bytes: Buffer) => string
}

/** Formats whole pence: 12345 becomes `£123.45`. */
export function pounds(amount: number): string {
  return formatPounds(pence(amount))
}

/** What to do if a document cannot be opened. Its URL comes from the deployment, so it may be on another host. */
const aboutDocument = {
  problem: undefined,
  remedy:
    'The deployment builds this URL from its PUBLIC_URL. Check that the URL leads to the deployment and can be reached from this machine.',
}

/** The time limit of one attempt. The longest operation, a broadband check, can take 10 s. */
const timeoutMs = 30_000

/** The last request, as far as it has come. */
interface Sent {
  method: string
  path: string
  status: number | null
  durationMs: number
  /** Where a redirect leads, without its query. */
  location: string | undefined
}

/** Makes the journey's calls one by one and notifies the listener. */
export class StepRunner {
  readonly #baseUrl: string
  readonly #listener: Listener
  readonly #client: HousebillClient
  #steps = 0
  #accessToken = ''
  #customerId: string | null = null
  #sent: Sent = { method: '', path: '', status: null, durationMs: 0, location: undefined }

  constructor(baseUrl: string, listener: Listener) {
    this.#baseUrl = baseUrl
    this.#listener = listener
    this.#client = new HousebillClient({
      baseUrl,
      timeoutMs,
      // A person is waiting.
      retry: { maxRetries: 2 },
      fetchToken: async () => ({ accessToken: this.#accessToken, expiresInSeconds: 3_600 }),
      fetch: (input, init) => this.#send(String(input), init ?? {}),
    })
  }

  /** Sends this token with every further step. */
  authenticate(accessToken: string): void {
    this.#accessToken = accessToken
  }

  /** Sets the tenant that the following steps are about; without an argument, they are about the household. */
  setTenant(tenant?: { customerId: string; heading: string }): void {
    this.#customerId = tenant?.customerId ?? null
    this.#listener.onTenant(tenant?.heading ?? null)
  }

  /** Makes one call of the API. Throws StepFailed if it fails. */
  async step<Response>(
    name: string,
    make: (client: HousebillClient) => Promise<Response>,
    { stop, brief, money }: DescribedStep<Response>,
  ): Promise<Response> {
    const response = await make(this.#client).catch((error: unknown) => {
      throw error instanceof HousebillError
        ? new StepFailed(this.#stepSent(name), failureOf(error, this.#baseUrl, this.#sent), error)
        : error
    })
    const stopped = stop?.(response)
    if (stopped !== undefined) throw new StepFailed(this.#stepSent(name), { ...stopped, problem: undefined })
    this.#done(name, brief(response), money?.(response) ?? null)
    return response
  }

  /** Opens a contract URL as the tenant's browser would, without the access token. */
  async open({ name, url, contentType, keep, brief }: DocumentStep): Promise<void> {
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await this.#send(url, { redirect: 'manual', signal }).catch((error: unknown) => {
      throw new StepFailed(this.#stepSent(name), { ...connectionFailure(url, error), ...aboutDocument }, error)
    })
    const found = response.headers.get('content-type')?.split(';', 1)[0]
    const reason =
      response.status === 200
        ? `The document's Content-Type is ${found ?? 'missing'}, not ${contentType}.`
        : `responded with ${response.status}`
    if (response.status !== 200 || found !== contentType)
      throw new StepFailed(this.#stepSent(name), { reason, ...aboutDocument })
    const bytes = Buffer.from(await response.arrayBuffer())
    await keep(bytes)
    this.#done(name, brief(bytes), null)
  }

  /**
   * Whether the deployment itself reports that a path does not exist. A 404 from a proxy in front of it does not count.
   * The call is not recorded as a step.
   */
  async isMissing(path: string): Promise<boolean> {
    const headers = { authorization: `Bearer ${this.#accessToken}` }
    const response = await fetch(`${this.#baseUrl}${path}`, { headers, signal: AbortSignal.timeout(timeoutMs) })
    const body = (await response.json().catch(() => undefined)) as { code?: unknown } | undefined
    return response.status === 404 && body?.code === 'not_found'
  }

  async #send(url: string, init: RequestInit): Promise<Response> {
    const path = url.startsWith(`${this.#baseUrl}/partner-api`) ? url.slice(this.#baseUrl.length) : url.split('?', 1)[0]
    const sent: Sent = {
      ...{ method: init.method ?? 'GET', path: path ?? '', status: null, durationMs: 0, location: undefined },
    }
    this.#sent = sent
    const begun = performance.now()
    const response = await fetch(url, init)
    sent.durationMs = Math.round(performance.now() - begun)
    sent.status = response.status
    sent.location = response.headers.get('location')?.split('?', 1)[0]
    return response
  }

  /** The step that the last request is a part of. */
  #stepSent(name: string): Step {
    const { location: _, ...sent } = this.#sent
    return { number: this.#steps + 1, name, customerId: this.#customerId, ...sent, answer: '', money: null }
  }

  #done(name: string, answer: string, money: string | null): void {
    const step = { ...this.#stepSent(name), answer, money }
    this.#steps += 1
    this.#listener.onStep(step)
  }
}

function failureOf(error: HousebillError, baseUrl: string, { location }: Sent): StepFailure {
  const { status } = error
  if (status === undefined) return connectionFailure(baseUrl, error.cause)
  if (error instanceof ApiError) {
    const { type, title, detail, code, requestId, errors } = error
    const problem = { type, title, status, detail, code, requestId, errors }
    return { reason: `responded with ${status}: ${title}`, problem, remedy: remedyFor(error, status) }
  }
  if (error instanceof TokenRefusedError) {
    const remedy = status === 401 ? checkCredentials : error.message
    return { reason: `responded with ${status}: ${error.code}`, problem: { error: error.code }, remedy }
  }
  const remedy =
    status >= 300 && status < 400
      ? `The service has a different address. Set --base-url to ${location ?? 'it'}.`
      : 'The response did not come from Housebill. Check --base-url: it is the address before /partner-api.'
  return { reason: `responded with ${status}`, problem: undefined, remedy }
}

const checkCredentials =
  'Check the client id and the secret. The operator can create a new secret with: npx housebill call rotatePartnerCredential'

function remedyFor({ detail, type, requestId }: ApiError, status: number): string {
  if (status === 401) return checkCredentials
  const log = status >= 500 ? ` For more, search the service's log for ${requestId}.` : ''
  const page = URL.canParse(type) ? ` More about this error: ${type}` : ''
  return `${detail}${log}${page}`
}

/** The failure of a step that got no response, with what to do about it. */
function connectionFailure(url: string, error: unknown): StepFailure {
  const { origin } = new URL(url)
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const name = cause instanceof Error ? cause.name : ''
  const words = cause instanceof Error ? cause.message : 'unknown'
  const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? words
  const failure = (reason: string, remedy: string) => ({ reason, remedy, problem: undefined })
  if (code === 'ECONNREFUSED') {
    return failure(
      `Nothing is listening at ${origin}.`,
      'Start the service (npm start), or set its address with --base-url.',
    )
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return failure(`The host name of ${origin} cannot be resolved.`, "Check --base-url and this machine's DNS.")
  }
  if (name === 'TimeoutError') {
    return failure(`${origin} did not respond in time.`, 'Check its log and /health/ready, then try again.')
  }
  if (/CERT|SIGNATURE|TLS|SSL/.test(code)) {
    return failure(
      `The certificate of ${origin} is not trusted (${code}).`,
      'Give the service a valid certificate, or set NODE_EXTRA_CA_CERTS to the authority that signed it.',
    )
  }
  return failure(
    `The connection to ${origin} failed (${code}).`,
    'Check --base-url, and check that the service is running.',
  )
}

/** One call of the journey and its result. Never contains a token, a secret or a URL's query. */
export interface Step {
  number: number
  name: string
  /** The tenant that the step is about; null if it is about the whole household. */
  customerId: string | null
  method: string
  /** The path, or the URL without its query. */
  path: string
  /** Null if there was no response. */
  status: number | null
  durationMs: number
  /** A short description of the response. */
  answer: string
  /**
   * The total cost as known so far, or the part of it that tenants have agreed to; null if this step changed neither.
   */
  money: string | null
}

/** Why a step failed, for people and programs. */
export interface StepFailure {
  /** What is wrong, in a sentence. */
  reason: string
  /** The error document in the response, if there is one. */
  problem: ErrorDocument | undefined
  /** What the person who runs the journey can do about the failure. */
  remedy: string
}

/** Thrown when a step fails, which ends the journey. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed'
  readonly step: Step
  readonly failure: StepFailure

  constructor(step: Step, failure: StepFailure, cause?: unknown) {
    super(failure.reason, { cause })
    this.step = step
    this.failure = failure
  }
}

/** What is printed of a problem document (RFC 9457), or of the error of a token request (RFC 6749). */
export interface ErrorDocument {
  type?: string
  title?: string
  status?: number
  detail?: string
  code?: string
  requestId?: string
  errors?: readonly { pointer: string; code: string; detail: string }[]
  error?: string
}
