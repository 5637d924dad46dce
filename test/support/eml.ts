/** A message or a part of one (RFC 5322, RFC 2045): headers by their lower-case names, and what it contains. */
export interface Message {
  headers: ReadonlyMap<string, string>
  type: string
  bytes: Buffer
  text: string
  parts: readonly Message[]
}

/** Reads an e-mail as a mail program does, with every multipart in it. */
export function readEml(source: string): Message {
  const end = source.indexOf('\r\n\r\n')
  const head = source.slice(0, end).replaceAll(/\r\n[ \t]+/g, ' ')
  const body = source.slice(end + 4)
  const headers = new Map(
    head.split('\r\n').map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), decodedWords(line.slice(colon + 1).trim())] as const
    }),
  )
  const contentType = headers.get('content-type') ?? 'text/plain'
  const [, boundary] = /boundary="([^"]+)"/.exec(contentType) ?? []
  const bytes = decoded(body, headers.get('content-transfer-encoding') ?? '7bit')
  const parts =
    boundary === undefined
      ? []
      : body
          .split(`--${boundary}`)
          .slice(1, -1)
          .map((part) => readEml(part.replace(/^\r\n/, '')))
  return { headers, type: contentType.split(';')[0] ?? '', bytes, text: bytes.toString('utf8'), parts }
}

/** The parts of a message that are no multipart, in their order. */
export function leavesOf(message: Message): Message[] {
  return message.parts.length === 0 ? [message] : message.parts.flatMap(leavesOf)
}

function decoded(body: string, encoding: string): Buffer {
  if (encoding === 'base64') return Buffer.from(body.replaceAll(/\s/g, ''), 'base64')
  return Buffer.from(encoding === 'quoted-printable' ? unquoted(body.replaceAll('=\r\n', '')) : body, 'latin1')
}

function unquoted(text: string): string {
  return text.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** Encoded words in headers (RFC 2047). Between two of them, white space does not count. */
function decodedWords(text: string): string {
  return text
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, how: string, words: string) =>
      how.toLowerCase() === 'b'
        ? Buffer.from(words, 'base64').toString('utf8')
        : Buffer.from(unquoted(words.replaceAll('_', ' ')), 'latin1').toString('utf8'),
    )
}
