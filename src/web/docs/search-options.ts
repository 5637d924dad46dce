/** What the search finds: a part of a guide, an error or an operation. */
export interface SearchEntry {
  id: number
  /** The heading of the part, the code and title of the error, or the summary of the operation. */
  title: string
  /** The page that it is on, or what it is. */
  page: string
  text: string
  href: string
  /** What readers call it who do not know our word for it. */
  otherWords?: string | undefined
}

/** Those words, by the address of the place. */
export const otherWords: Readonly<Record<string, string>> = {
  '/docs/guides/api-behaviour#contract-dates': 'move in date, moving in, tenancy start',
  '/docs/guides/authentication#changing-a-secret': 'change secret, new client secret',
  '/docs/guides/authentication#limits': 'rate limit',
  '/docs/guides/configuration#limits-of-connections-and-requests':
    'connection limits, request limits, body size, rate limit',
  '/docs/guides/quickstart#the-card-in-a-browser': 'type a card in a form, test cards',
  '/docs/guides/sandbox#test-cards': 'card declined, 3-D Secure, 3DS, SCA, test cards',
}

/** Words that are in nearly every text: left out of the index, which is a sixth smaller, and of what is searched for. */
export const ignoredWords = [
  ...[
    'a',
    'an',
    'and',
    'are',
    'as',
    'at',
    'be',
    'by',
    'can',
    'do',
    'does',
    'each',
    'for',
    'from',
    'has',
    'have',
    'how',
  ],
  ...['i', 'if', 'in', 'is', 'it', 'its', 'my', 'no', 'not', 'of', 'on', 'or', 's', 'that', 'the', 'their', 'then'],
  ...['there', 'these', 'they', 'this', 'to', 'was', 'what', 'which', 'with', 'you', 'your'],
]

/** How a word is looked up, in the index and in what is searched for; null if it is ignored. */
export function termOf(word: string): string | null {
  const term = word.toLowerCase()
  return ignoredWords.includes(term) ? null : term
}

/** How the index is made, in the server, and read, in the browser. All of it can be written as JSON. */
export const searchOptions = {
  fields: ['title', 'page', 'text', 'otherWords'],
  storeFields: ['title', 'page', 'href'],
  searchOptions: { boost: { otherWords: 8, title: 4, page: 2 }, prefix: true, fuzzy: 0.2, combineWith: 'AND' },
} as const
