import type { Call } from '../../../clients/typescript/src/call.ts'
import { searchOf } from '../../../clients/typescript/src/exchange.ts'
import { Operations } from '../../../clients/typescript/src/operations.ts'
import { formatPounds, pence } from '../../platform/kernel/money.ts'
import { exchange, type HttpResponse, parseJsonBody } from './exchange.ts'
import { type ErrorDocument, readErrorDocument, type Step, StepFailed, type StepFailure } from './steps.ts'

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
  keep: (response: HttpResponse) => Promise<void>
  brief: (response: HttpResponse) => string
}

/** Formats whole pence: 12345 becomes `£123.45`. */
export function pounds(amount: number): string {
  return formatPounds(pence(amount))
}

/** What to do if a document cannot be opened. Its URL comes from the deployment, so it may be on another host. */
const aboutDocument = {
  remedy:
    'The deployment builds this URL from its PUBLIC_URL. Check that the URL leads to the deployment and can be reached from this machine.',
}

/** Makes the journey's calls one by one and notifies the listener. */
export class StepRunner {
  readonly steps: Step[] = []
  readonly #baseUrl: string
  readonly #listener: Listener
  #accessToken: string | undefined
  #customerId: string | null = null

  constructor(baseUrl: string, listener: Listener) {
    this.#baseUrl = baseUrl
    this.#listener = listener
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
    make: (api: Operations) => Promise<Response>,
    { stop, brief, money }: DescribedStep<Response>,
  ): Promise<Response> {
    const made: Step[] = []
    const calls = new StepCalls(async ({ method, path, query, body }) => {
      const step = this.#newStep(name, method, `${path}${searchOf(query)}`)
      made.push(step)
      const answer = await this.#exchange(step, `${this.#baseUrl}${step.path}`, body)
      const value = parseJsonBody(answer)
      if (value === undefined) throw new StepFailed(step, rejectionFailure(answer))
      return value
    })
    const response = await make(calls)
    const [step] = made
    if (step === undefined) throw new Error(`the step "${name}" made no call`)
    const stopped = stop?.(response)
    if (stopped !== undefined) throw new StepFailed(step, { ...stopped, problem: undefined })
    this.#done(step, brief(response), money?.(response) ?? null)
    return response
  }

  /** Opens a contract URL as the tenant's browser would, without the access token. */
  async open({ name, url, contentType, keep, brief }: DocumentStep): Promise<void> {
    const step = this.#newStep(name, 'GET', url.split('?', 1)[0] ?? '')
    const response = await this.#exchange(step, url, undefined, aboutDocument)
    if (response.contentType !== contentType) {
      const reason = `The document's Content-Type is ${response.contentType || 'missing'}, not ${contentType}.`
      throw new StepFailed(step, { reason, problem: undefined, ...aboutDocument })
    }
    await keep(response)
    this.#done(step, brief(response), null)
  }

  /**
   * Whether the deployment itself reports that a path does not exist. A 404 from a proxy in front of it does not count.
   * The call is not recorded as a step.
   */
  async isMissing(path: string): Promise<boolean> {
    const url = `${this.#baseUrl}${path}`
    const response = await exchange({ method: 'GET', url, headers: this.#headers(true) })
    return response.status === 404 && readErrorDocument(response)?.code === 'not_found'
  }

  async #exchange(step: Step, url: string, body: unknown, document?: typeof aboutDocument): Promise<HttpResponse> {
    const headers = this.#headers(document === undefined)
    if (body !== undefined) headers['content-type'] = 'application/json'
    const call = { method: step.method, url, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    const response = await exchange(call).catch((error: unknown) => {
      throw new StepFailed(step, { ...connectionFailure(url, error), ...document }, error)
    })
    step.status = response.status
    step.durationMs = response.durationMs
    if (response.status !== 200) throw new StepFailed(step, { ...rejectionFailure(response), ...document })
    return response
  }

  #headers(withToken: boolean): Record<string, string> {
    return {
      accept: '*/*',
      'user-agent': 'housebill-journey',
      ...(withToken && this.#accessToken !== undefined ? { authorization: `Bearer ${this.#accessToken}` } : {}),
    }
  }

  #newStep(name: string, method: string, path: string): Step {
    const number = this.steps.length + 1
    const customerId = this.#customerId
    return { number, name, customerId, method, path, status: null, durationMs: 0, answer: '', money: null }
  }

  #done(step: Step, response: string, money: string | null): void {
    step.answer = response
    step.money = money
    this.steps.push(step)
    this.#listener.onStep(step)
  }
}

/** Makes each call as a step. */
class StepCalls extends Operations {
  readonly #make: (call: Call) => Promise<unknown>

  constructor(make: (call: Call) => Promise<unknown>) {
    super()
    this.#make = make
  }

  protected async send<Response>(call: Call): Promise<Response> {
    return (await this.#make(call)) as Response
  }
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

/** The failure of a step whose response has a status other than 200, or is not Housebill's. */
function rejectionFailure(response: HttpResponse): StepFailure {
  const problem = readErrorDocument(response)
  const title = problem?.title ?? problem?.error
  const words = title === undefined ? '' : `: ${title}`
  return {
    reason: `responded with ${response.status}${words}`,
    problem,
    remedy: remedyFor(response, problem),
  }
}

function remedyFor({ status, headers }: HttpResponse, problem: ErrorDocument | undefined): string {
  if (status >= 300 && status < 400) {
    return `The service has a different address. Set --base-url to ${headers.get('location')?.split('?', 1)[0] ?? 'it'}.`
  }
  if (problem === undefined) {
    return 'The response did not come from Housebill. Check --base-url: it is the address before /partner-api.'
  }
  if (status === 401) {
    return 'Check the client id and the secret. The operator can create a new secret with: npx housebill call rotatePartnerCredential'
  }
  const { type, detail, error_description: description, requestId } = problem
  const whatToDo = detail ?? description ?? 'See the error document.'
  const log = status >= 500 && requestId !== undefined ? ` For more, search the service's log for ${requestId}.` : ''
  const page = type !== undefined && URL.canParse(type) ? ` More about this error: ${type}` : ''
  return `${whatToDo}${log}${page}`
}
