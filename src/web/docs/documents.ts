import { readFileSync } from 'node:fs'
import type { ErrorResponse } from '../../platform/http/errors/error-response.ts'
import type { DocumentedOperation } from './operation-links.ts'

type ErrorTable = Readonly<Record<string, ErrorResponse>>

/** A page of the documentation, which is Markdown. */
export interface DocsPage {
  path: string
  title: string
  summary: string
  markdown: string
  /** Its part of the sidebar; undefined for what only another page lists. */
  section?: string
}

/** The guides in `docs/` by task, in the order in which a newcomer reads them, with what each is about. */
const guidesByTask: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Start: {
    quickstart: 'The first quote, then the first contract, with a card that you type in a browser.',
    concepts: 'The words of the API, and the life of a quote with the call that leads to each status.',
    clients: 'Ready-made clients: what they do for you, and the first quote.',
  },
  Sell: {
    'sell-without-screens': 'One call for a household, and a link for each tenant: the rest happens on our pages.',
    'connect-a-crm': 'A worked example: a program that sells the bills of each new tenancy of a CRM.',
    'for-the-agency': 'One page for letting agents: what to say, what to leave, and who answers questions.',
    'tenant-emails': 'Which e-mails we send to tenants, when, and who can switch them off.',
  },
  'Build your program': {
    authentication: 'Credentials, scopes by call, changing a secret, limits.',
    'errors-and-retries': 'What an error looks like, which calls to repeat and when, and which never.',
    idempotency: 'How to repeat a call without doing something twice, also after a crash.',
    webhooks: 'Registering, verifying signatures, responding, ordering, retries and redelivery.',
    'developer-pages': 'The pages for developers: what they show, and how to fix a webhook.',
    'api-behaviour': 'Statuses, conventions, dates, prices and payments: the rules behind the reference.',
    'ending-contracts':
      'Cancelling, ends of contracts and tenancies, replacements, meter readings, and moving in and out.',
  },
  'Test and go live': {
    sandbox: 'Sample properties, test cards and sandbox calls: how to test every outcome.',
    'going-live': 'What to check before your program leaves the sandbox.',
    versioning: 'What can change at any time, and how you learn of anything else.',
  },
  'Run Housebill': {
    'operator/first-day': 'What an operator does from the installation to the first partner.',
    installing: 'Installing, systemd, several processes, containers and Kubernetes.',
    configuration: 'Every setting, what live needs, where data is stored and what to back up.',
    postgresql: 'The database that Housebill starts itself, or your own: hosts, logins, poolers.',
    operations: 'Health checks, metrics, alerts, traces and the security log.',
    runbooks: 'What each alert means, what to look at, and what to do.',
    scaling: 'How far one machine reaches, and what to add after it.',
    upgrading: 'From one release to the next.',
    privacy: 'Where personal data is, for how long, and how to serve a request about it.',
    'operator/back-office': 'How your own software takes contracts over, reports supply and collects.',
    'operator/api': 'The operator API: contracts, priority services, payments, reports.',
    'operator/collecting': 'How payments are collected.',
    'operator/commission': 'What partners earn.',
    'operator/files': 'Files instead of the API.',
  },
}

/** The address of each guide's page, by its file's path in `docs/`. */
export const guidePaths: ReadonlyMap<string, string> = new Map(
  Object.values(guidesByTask).flatMap((guides) =>
    Object.keys(guides).map((name) => [`${name}.md`, `/docs/guides/${name}`] as const),
  ),
)

/** What a newcomer's program calls, in this order. */
const journey = [
  'issueToken',
  'createHousehold',
  'lookupAddresses',
  'createQuote',
  'addTenants',
  'getQuoteTotalCost',
  'finalisePersonalInformation',
  'getPaymentSchedules',
  'createSetupIntent',
  'acceptTerms',
  'createWebhook',
]

/** The errors that the partner API returns, and those that only the operator API returns. */
export interface ErrorsByApi {
  partner: ErrorTable
  operator: ErrorTable
}

/**
 * Loads every page, in the order of the sidebar. Examples name this server, but for those of operators. Throws if a file
 * or its title is missing, so that startup fails rather than a later request.
 */
export function loadDocuments(
  publicUrl: string,
  operations: () => readonly DocumentedOperation[],
  errors: ErrorsByApi,
): DocsPage[] {
  const guides = Object.entries(guidesByTask).flatMap(([section, summaries]) =>
    Object.entries(summaries).map(([name, summary]): DocsPage => {
      const text = fileOf(`docs/${name}.md`)
      const markdown = section === 'Run Housebill' ? text : text.replaceAll('http://localhost:8080', publicUrl)
      return { section, path: `/docs/guides/${name}`, title: titleOf(markdown, name), summary, markdown }
    }),
  )
  const section = 'Look up'
  const lookUp: DocsPage[] = [
    {
      section,
      path: '/docs/reference',
      title: 'API reference',
      summary: 'Every operation with its fields, examples and errors; send requests from it in a sandbox.',
      // When it is first read: the API document is large.
      get markdown() {
        return referenceOf(operations())
      },
    },
    {
      section,
      path: '/docs/errors',
      title: 'Errors',
      summary: 'Every error code: what it means and what to do.',
      markdown: errorsOf(errors),
    },
    {
      section,
      path: '/docs/changelog',
      title: 'Changelog',
      summary: 'What changed, by release.',
      markdown: fileOf('CHANGELOG.md'),
    },
  ]
  const isForOperators = ({ section }: DocsPage) => section === 'Run Housebill'
  const listed = [...guides.filter((page) => !isForOperators(page)), ...lookUp, ...guides.filter(isForOperators)]
  const start = { path: '/docs', title: 'Documentation', summary: '', markdown: listOf(listed) }
  return [start, ...listed, ...errorPages({ ...errors.partner, ...errors.operator })]
}

/** The pages of the sidebar by section, in their order. */
export function sectionsOf(pages: readonly DocsPage[]): [section: string, pages: DocsPage[]][] {
  const { '': _, ...sections } = Object.groupBy(pages, ({ section = '' }) => section)
  return Object.entries(sections).map(([section, own = []]) => [section, own])
}

function fileOf(path: string): string {
  return readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
}

function titleOf(markdown: string, name: string): string {
  const [, title] = /^# (.+)$/m.exec(markdown) ?? []
  if (title === undefined) throw new Error(`docs/${name}.md has no title.`)
  return title
}

function listOf(pages: readonly DocsPage[]): string {
  const sections = sectionsOf(pages).map(
    ([section, own]) =>
      `## ${section}\n\n${own.map(({ path, title, summary }) => `- [${title}](${path}): ${summary}`).join('\n')}`,
  )
  return `# Documentation

Sell household bills through an API: look up a UK address, create a quote, add the tenants who share the house, and take
each through to a contract. New here? Begin with the [quickstart](quickstart.md).

${sections.join('\n\n')}
`
}

function referenceOf(operations: readonly DocumentedOperation[]): string {
  const line = ({ summary, href, method, path }: DocumentedOperation) => `[${summary}](${href}) \`${method} ${path}\``
  const steps = journey.flatMap((id) => operations.filter(({ operationId }) => operationId === id))
  const tags = Object.entries(Object.groupBy(operations, ({ tag }) => tag)).map(
    ([tag, own = []]) => `## ${tag}\n\n${own.map((each) => `- ${line(each)}`).join('\n')}`,
  )
  return `# API reference

An operation opens with its fields, examples and errors. The whole document is [openapi.json](/openapi.json),
[openapi.yaml](/openapi.yaml) and, for tools that need OpenAPI 3.0, [openapi-3.0.json](/openapi-3.0.json).

## The journey

From a token to a contract. Creating a household does the work of quote and tenants in one call.

${steps.map((each, index) => `${index + 1}. ${line(each)}`).join('\n')}

${tags.join('\n\n')}
`
}

function errorsOf({ partner, operator }: ErrorsByApi): string {
  const table = (errors: ErrorTable) =>
    `| Status | Code | Meaning |\n|---|---|---|\n${Object.entries(errors)
      .map(([code, { status, title }]) => `| ${status} | [\`${code}\`](/docs/errors/${code}) | ${title} |`)
      .join('\n')}`
  return `# Errors

Every error is a problem document (RFC 9457) with a stable \`code\`. Only token requests return \`{error, error_description}\`.
[Errors and retries](errors-and-retries.md) says which calls to repeat.

${table(partner)}

## Only in the operator API

${table(operator)}
`
}

function errorPages(errorResponses: ErrorTable): DocsPage[] {
  return Object.entries(errorResponses).map(([code, { status, title, meaning, remedy }]) => ({
    path: `/docs/errors/${code}`,
    title,
    summary: meaning,
    markdown: `# ${title}\n\n\`${code}\` · HTTP ${status}\n\n## What it means\n\n${meaning}\n\n## What to do\n\n${remedy}\n`,
  }))
}
