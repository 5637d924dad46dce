/** What the search finds: a part of a guide, an error or an operation. */
export interface SearchEntry {
  id: number
  /** The heading of the part, the code and title of the error, or the summary of the operation. */
  title: string
  /** The page that it is on, or what it is. */
  page: string
  text: string
  href: string
}

/** How the index is made, in the server, and read, in the browser. All of it can be written as JSON. */
export const searchOptions = {
  fields: ['title', 'page', 'text'],
  storeFields: ['title', 'page', 'href'],
  searchOptions: { boost: { title: 4, page: 2 }, prefix: true, fuzzy: 0.2, combineWith: 'AND' },
} as const
