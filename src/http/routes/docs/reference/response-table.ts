import { errorResponses, isErrorCode } from '../../../error-responses.ts'
import { type Html, html } from '../../../pages/html.ts'
import { scrollBox } from '../../../pages/scroll-box.ts'
import { type FindPage, renderProse } from './prose.ts'
import type { Response } from './reference.ts'

/** The responses by status; error codes with their meaning and a link to their page. */
export function responseTable(responses: readonly [status: string, Response][], findPage: FindPage): Html {
  const rows = responses.flatMap(([status, response]) =>
    meaningsOf(response, findPage).map((meaning) => html`<tr><th scope="row">${status}</th><td>${meaning}</td></tr>`),
  )
  return scrollBox(
    'Statuses',
    html`<table class="statuses"><thead><tr><th scope="col">Status</th><th scope="col">What it says</th></tr></thead><tbody>${rows}</tbody></table>`,
  )
}

function meaningsOf(response: Response, findPage: FindPage): readonly Html[] {
  const codes = response['x-error-codes']?.filter(isErrorCode)
  if (codes === undefined) return [renderProse(response.description, findPage)]
  // With a single code, the description may say more than the code's title; with several, it only lists the codes.
  const ofOne = codes.length === 1 ? response.description : undefined
  return codes.map((code) => {
    const words = (ofOne ?? errorResponses[code].title).replace(`\`${code}\`: `, '')
    return html`<a href="/docs/errors/${code}"><code>${code}</code></a><br>${renderProse(words, findPage)}`
  })
}
