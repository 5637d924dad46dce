import { type ErrorDocument, readErrorDocument } from './error-document.ts'
import type { HttpResponse } from './exchange.ts'
import type { StepFailure } from './steps.ts'

/** The failure of a step that got no response, with what to do about it. */
export function connectionFailure(url: string, error: unknown): StepFailure {
  const { origin } = new URL(url)
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const name = cause instanceof Error ? cause.name : ''
  const words = cause instanceof Error ? cause.message : 'unknown'
  const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? words
  const failure = (reason: string, remedy: string) => ({ reason, remedy, mismatches: [], problem: undefined })
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

/** The failure of a step whose response has a status other than 200. */
export function rejectionFailure(answer: HttpResponse): StepFailure {
  const problem = readErrorDocument(answer)
  const title = problem?.title ?? problem?.error
  const words = title === undefined ? '' : `: ${title}`
  return {
    reason: `responded with ${answer.status}${words}`,
    mismatches: [],
    problem,
    remedy: remedyFor(answer, problem),
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
    return 'Check the client id and the secret. The operator can create a new secret with: npx housebill partner rotate-secret <clientId>'
  }
  const { type, detail, error_description: description, requestId } = problem
  const whatToDo = detail ?? description ?? 'See the error document.'
  const log = status >= 500 && requestId !== undefined ? ` For more, search the service's log for ${requestId}.` : ''
  const page = type !== undefined && URL.canParse(type) ? ` More about this error: ${type}` : ''
  return `${whatToDo}${log}${page}`
}

/** The failure of a step whose response has status 200 but the wrong content. */
export function mismatchFailure(reason: string, mismatches: readonly string[], headers: Headers): StepFailure {
  const requestId = headers.get('x-request-id')
  const where = requestId === null ? '' : ` (request ${requestId})`
  return {
    reason,
    mismatches,
    problem: undefined,
    remedy: `This is a fault in the deployment${where}. Do not sell with it until you understand the cause.`,
  }
}
