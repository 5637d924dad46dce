import { type HttpResponse, parseJsonBody } from './exchange.ts'

/** What grants access to something, wherever it is in a text, and what is shown instead. */
const secrets: readonly (readonly [pattern: RegExp, shown: string])[] = [
  // A JSON Web Token.
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'eyJ…'],
  // The token of a link.
  [/([?&](?:token|signature)=)[^&\s"'`]+/g, '$1…'],
  [/\bBearer [\w.~+/=-]{20,}/g, 'Bearer …'],
  [/\bwhsec_[\w+/=-]+/g, 'whsec_…'],
  // The client secret of a setup intent.
  [/(_secret_)\w+/g, '$1…'],
]

/**
 * Ids that are new every time: ours, the payment processor's, and contract numbers. The ids of sample properties are
 * always the same.
 */
const newIds = /\b(?!address_)([a-z]+)_[0-9a-z]{26}\b|\b(seti|cus|pm|pi|req)_[0-9A-Za-z]{8,}\b|\b\d{4}-\d{4}-\d{4}\b/g

const timeOfDay = /(?<=\b\d{4}-\d\d-\d\dT)\d\d:\d\d:\d\d(\.\d+)?(?=Z)/g

/**
 * The text without anything that grants access, with numbered ids (`quote_1`) and the same time of day everywhere, so
 * that two recordings of the same steps can be compared.
 */
function withoutSecrets(text: string): string {
  const hidden = secrets.reduce((shown, [pattern, replacement]) => shown.replace(pattern, replacement), text)
  const numbers = new Map<string, string>()
  const counts = new Map<string, number>()
  return hidden
    .replace(timeOfDay, (_, fraction = '') => `12:00:00${fraction === '' ? '' : '.000'}`)
    .replace(newIds, (id, ours: string | undefined, theirs: string | undefined) => {
      const kind = ours ?? theirs
      const number = (counts.get(kind ?? '') ?? 0) + 1
      const known = numbers.get(id)
      if (known !== undefined) return known
      counts.set(kind ?? '', number)
      const shown = kind === undefined ? `0000-0000-${String(number).padStart(4, '0')}` : `${kind}_${number}`
      numbers.set(id, shown)
      return shown
    })
}

/** One call of a journey, as it was made. Contains secrets. */
export interface RecordedCall {
  name: string
  method: string
  url: string
  body: unknown
  withToken: boolean
  response: HttpResponse
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
    const response = describeResponse(call.response)
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

function describeResponse(response: HttpResponse): string {
  const value = parseJsonBody(response)
  const { status, contentType } = response
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
