import { type Html, html } from '../../../pages/html.ts'
import { codeBlock } from '../../../pages/scroll-box.ts'
import type { Page } from '../../../pages/send-page.ts'
import { pathWithBreakPoints } from './break-points.ts'
import { exampleCall } from './example-call.ts'
import { parameterTable, requestFieldTable, responseFieldTable } from './field-table.ts'
import { pager } from './pager.ts'
import { type FindPage, renderProse } from './prose.ts'
import { type Call, type CallGroup, type Operation, operationHref, tagHref } from './reference.ts'
import { responseTable } from './response-table.ts'

/** The page of one operation: how to call it, its parameters and body, its responses and its errors. */
export function operationPage(call: Call, group: CallGroup, where: { baseUrl: string; findPage: FindPage }): Page {
  const { method, path, operation } = call
  const { findPage } = where
  const body = html`<h1>${operation.summary}</h1>
<p class="call"><code><b>${method}</b> ${pathWithBreakPoints(path)}</code></p>
${introduction(operation, findPage)}
${operation.parameters?.length ? html`<h2>Parameters</h2>${parameterTable(operation.parameters, { caption: 'Parameters', findPage })}` : ''}
${requestSection(operation, findPage)}
${exampleSection(exampleCall(call, where.baseUrl))}
${responseSection(operation, findPage)}
<h2>Errors</h2>${responseTable(
    Object.entries(operation.responses).filter(([status]) => !status.startsWith('2')),
    findPage,
  )}
${pager(
  group.tag,
  group.calls.map((each) => ({ href: operationHref(each.operation.operationId), text: each.operation.summary })),
  group.calls.indexOf(call),
)}`
  return {
    title: operation.summary,
    trail: [
      { href: '/docs', text: 'API reference' },
      { href: tagHref(group.tag), text: group.tag },
    ],
    body,
  }
}

function introduction({ description = '', 'x-scope': scope }: Operation, findPage: FindPage): Html {
  // The line below states the scope with a link, so drop the document's sentence about it.
  const said = scope === undefined ? description : description.replace(`Needs the scope \`${scope}\`.`, '').trim()
  return html`${said === '' ? '' : html`<p>${renderProse(said, findPage)}</p>`}<p>${
    scope === undefined
      ? 'Needs no token.'
      : html`Needs a token with the scope <a href="/docs/guides/authentication#scopes"><code>${scope}</code></a>.`
  }</p>`
}

function requestSection({ requestBody }: Operation, findPage: FindPage): Html | undefined {
  if (requestBody === undefined) return undefined
  const [[type, { schema }] = ['', { schema: {} }], ...others] = Object.entries(requestBody.content)
  const types = [type, ...others.map(([other]) => other)]
  return html`<h2>Body</h2><p>Sent as ${types.map((each, index) => html`${index === 0 ? '' : ' or '}<code>${each}</code>`)}${
    requestBody.required ? '.' : '; it may be left out.'
  }</p>${requestFieldTable(schema, { caption: 'Body', findPage })}`
}

function exampleSection(example: string | undefined): Html | undefined {
  if (example === undefined) return undefined
  const set = ['$API', '$TOKEN'].filter((name) => example.includes(name))
  return html`<h2>Example call</h2>${codeBlock(example)}${
    set.length > 0 &&
    html`<p class="quiet">${set.map((name, index) => html`${index > 0 && ' and '}<code>${name}</code>`)} as in <a href="/docs#start">Getting started</a>.</p>`
  }`
}

function responseSection({ responses }: Operation, findPage: FindPage): Html {
  const contents = Object.entries(responses['200']?.content ?? {})
  return html`<h2>Answer</h2>${contents.map(
    ([type, { schema }]) =>
      html`<p>Status 200 with <code>${type}</code>.</p>${responseFieldTable(schema, { caption: 'Answer', findPage })}`,
  )}`
}
