import { type HttpResponse, parseJsonBody } from './exchange.ts'
import { withoutSecrets } from './without-secrets.ts'

/** One call of a journey, as it was made. Contains secrets. */
export interface RecordedCall {
  name: string
  method: string
  url: string
  body: unknown
  withToken: boolean
  answer: HttpResponse
}

/** Lists longer than this are cut, because one property or payment looks like the next. */
const shownEntries = 2

/** The address that stands for every deployment. */
const exampleAddress = 'https://bills.example'

const introduction = `# A recorded journey

\`npx housebill journey --record\` wrote this file from the calls that it made. Ids are numbered, times of day are 12:00, and secrets
and the rest of long lists are left out. \`${exampleAddress}\` stands for the deployment, and \`$TOKEN\` for the access token of the first response.`

/**
 * Writes what a journey did as Markdown: each call as a curl command, with its response. Journeys of partners without
 * other quotes, on the same day and at the same prices, give the same text. The text contains nothing that grants
 * access.
 */
export class Transcript {
  readonly #baseUrl: string
  readonly #clientId: string
  readonly #parts: string[] = []
  #calls = 0

  constructor({ baseUrl, clientId }: { baseUrl: string; clientId: string }) {
    this.#baseUrl = baseUrl
    this.#clientId = clientId
  }

  /** Begins the part about a tenant. */
  addHeading(heading: string): void {
    this.#parts.push(`## ${heading}`)
  }

  addCall(call: RecordedCall): void {
    this.#calls += 1
    const response = describeResponse(call.answer)
    this.#parts.push(`### ${this.#calls}. ${call.name}`, fenced('sh', curlOf(call)), response)
  }

  text(): string {
    const complete = [introduction, ...this.#parts].join('\n\n')
    const anonymous = complete.replaceAll(this.#baseUrl, exampleAddress).replaceAll(this.#clientId, 'CLIENT_ID')
    return `${withoutSecrets(anonymous)}\n`
  }
}

function curlOf({ method, url, body, withToken }: RecordedCall): string {
  const sent = body === undefined ? undefined : JSON.stringify(body, hideSecrets)
  const options = [
    ...(method === 'POST' && sent === undefined ? ['-X POST'] : []),
    `'${url}'`,
    ...(withToken ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(sent === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d '${sent.replaceAll("'", String.raw`'\''`)}'`]),
  ]
  return `curl ${options.join(' \\\n  ')}`
}

function describeResponse(answer: HttpResponse): string {
  const value = parseJsonBody(answer)
  const { status, contentType } = answer
  if (value === undefined) return `The response has status ${status} and is a document (\`${contentType}\`).`
  const shown = fenced('json', JSON.stringify(shortened(value), hideSecrets, 2))
  return status === 200 ? shown : `The response has status ${status}:\n\n${shown}`
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``
}

function shortened(value: unknown): unknown {
  if (Array.isArray(value)) {
    const left = value.length - shownEntries
    return [...value.slice(0, shownEntries).map(shortened), ...(left > 0 ? [`… and ${left} more`] : [])]
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member)]))
}

/** The members of requests and responses that grant access to something. */
const secretMembers = new Set(['access_token', 'clientSecret', 'client_secret', 'secret'])

/** For `JSON.stringify`. */
function hideSecrets(name: string, value: unknown): unknown {
  return secretMembers.has(name) ? '…' : value
}
