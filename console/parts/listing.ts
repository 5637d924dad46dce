import { html, nothing, type TemplateResult } from 'lit-html'
import type { CallResult } from '../api/failure.ts'
import type { PageContext } from '../page.ts'
import { momentInWords } from '../time.ts'
import { type ActionRunner, createActionRunner } from './action.ts'
import { createLoader } from './loader.ts'

interface ListPage<Item> {
  data: readonly Item[]
  nextCursor: string | null
}

interface ListingOptions<Item> {
  /** What is loaded, such as `events`; completes "Loading …". */
  what: string
  readPage(cursor: string | undefined): Promise<CallResult<ListPage<Item>>>
  row(item: Item): TemplateResult
  /** Shown if the list is empty. */
  empty: TemplateResult
}

/** A paged list that can be reloaded and can load more entries. */
export interface Listing {
  load(): Promise<void>
  view(): TemplateResult
}

/** Creates the list that a page shows. After more entries are loaded, the first new one gets the focus. */
export function createListing<Item>(context: PageContext, options: ListingOptions<Item>): Listing {
  let readAt = ''
  const reading = createLoader(context, options.what, async () => {
    const response = await options.readPage(undefined)
    readAt = new Date().toISOString()
    return response
  })
  const more: ActionRunner = createActionRunner(context)
  const loadMore = (cursor: string, shown: readonly Item[]) => () =>
    void more.run(
      'Load more',
      () => options.readPage(cursor),
      ({ data, nextCursor }) => {
        reading.set({ data: [...shown, ...data], nextCursor })
        if (data.length > 0) context.focus(`.rows > li:nth-child(${shown.length + 1}) a`)
      },
    )
  return {
    load: reading.load,
    view: () => html`<div class="toolbar">
        <p role="status" class="quiet">${statusOf(reading.data(), readAt)}</p>
        <button type="button" @click=${() => void reading.load()}>Refresh</button>
      </div>
      ${reading.view(({ data, nextCursor }) =>
        data.length === 0
          ? html`<div class="empty">${options.empty}</div>`
          : html`<ul class="rows">
                ${data.map((item) => html`<li>${options.row(item)}</li>`)}
              </ul>
              ${more.problem()}
              ${nextCursor === null ? nothing : more.button('Load more', loadMore(nextCursor, data))}`,
      )}`,
  }
}

function statusOf(page: ListPage<unknown> | undefined, readAt: string) {
  if (page === undefined) return nothing
  const more = page.nextCursor === null ? '' : ', more available'
  return `${page.data.length} shown${more}. Loaded on ${momentInWords(readAt)}.`
}
