import { type ErrorDocument, errorDocumentOf } from './error-document.ts'
import type { Answer } from './exchange.ts'
import type { StepFailure } from './steps.ts'

/** What to do where no answer came at all. */
export function unreachable(url: string, error: unknown): StepFailure {
  const { origin } = new URL(url)
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const name = cause instanceof Error ? cause.name : ''
  const words = cause instanceof Error ? cause.message : 'unknown'
  const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? words
  const failure = (reason: string, remedy: string) => ({ reason, remedy, mismatches: [], problem: undefined })
  if (code === 'ECONNREFUSED') {
    return failure(
      `Nothing answers at ${origin}.`,
      'Start the service (npm start), or name the one you mean with --base-url.',
    )
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return failure(`The host name of ${origin} is not known.`, 'Check --base-url, and the DNS of this machine.')
  }
  if (name === 'TimeoutError') {
    return failure(`${origin} did not answer in time.`, 'Look at its log and at /health/ready, then try again.')
  }
  if (/CERT|SIGNATURE|TLS|SSL/.test(code)) {
    return failure(
      `The certificate of ${origin} is not trusted (${code}).`,
      'Give the service a valid certificate, or name the authority that signed it in NODE_EXTRA_CA_CERTS.',
    )
  }
  return failure(`The connection to ${origin} failed (${code}).`, 'Check --base-url and that the service runs.')
}

/** What to do about an answer other than 200. */
export function refused(answer: Answer): StepFailure {
  const problem = errorDocumentOf(answer)
  const title = problem?.title ?? problem?.error
  const words = title === undefined ? '' : `: ${title}`
  return { reason: `answered ${answer.status}${words}`, mismatches: [], problem, remedy: remedyFor(answer, problem) }
}

function remedyFor({ status, headers }: Answer, problem: ErrorDocument | undefined): string {
  if (status >= 300 && status < 400) {
    return `The service has another address: give ${headers.get('location')?.split('?', 1)[0] ?? 'it'} as --base-url.`
  }
  if (problem === undefined) {
    return 'This is not an answer of Housebill. --base-url is the address before /partner-api; check it.'
  }
  if (status === 401) {
    return 'Check the client id and the secret. The operator gets a new secret with: npx housebill partner rotate-secret <clientId>'
  }
  const { type, detail, error_description: description, requestId } = problem
  const whatToDo = detail ?? description ?? 'See the error document.'
  const log = status >= 500 && requestId !== undefined ? ` The service's log has more under ${requestId}.` : ''
  const page = type !== undefined && URL.canParse(type) ? ` More about this error: ${type}` : ''
  return `${whatToDo}${log}${page}`
}

/** What to do about an answer that is 200 and yet wrong. */
export function mismatched(reason: string, mismatches: readonly string[], headers: Headers): StepFailure {
  const requestId = headers.get('x-request-id')
  const where = requestId === null ? '' : ` (request ${requestId})`
  return {
    reason,
    mismatches,
    problem: undefined,
    remedy: `This is a fault of the deployment${where}: do not sell with it before it is understood.`,
  }
}
