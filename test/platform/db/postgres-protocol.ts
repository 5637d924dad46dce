/** A message of the PostgreSQL protocol: type letter (none for the first one of a client), length, content. */
export function message(letter: string, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from(letter), int(4, content.length + 4), content])
}

/** The server accepts the client without a password. */
export const accepted = message('R', Buffer.alloc(4))

/** The server is ready for the next statement, outside a transaction. */
export const ready = message('Z', Buffer.from('I'))

/** An error with its SQLSTATE. */
export function failure(severity: 'ERROR' | 'FATAL', code: string, text: string): Buffer {
  return message('E', Buffer.from(`S${severity}\0V${severity}\0C${code}\0M${text}\0\0`))
}

/** A result of one row, as text. */
export function row(values: Readonly<Record<string, string>>): Buffer {
  const names = Object.keys(values)
  const columns = names.map((name) => {
    const facts = Buffer.alloc(18)
    facts.writeInt32BE(25, 6)
    return Buffer.concat([Buffer.from(`${name}\0`), facts])
  })
  const fields = Object.values(values).map((value) => {
    const text = Buffer.from(value)
    return Buffer.concat([int(4, text.length), text])
  })
  return Buffer.concat([
    message('T', Buffer.concat([int(2, names.length), ...columns])),
    message('D', Buffer.concat([int(2, names.length), ...fields])),
    message('C', Buffer.from('SELECT 1\0')),
  ])
}

function int(bytes: 2 | 4, value: number): Buffer {
  const buffer = Buffer.alloc(bytes)
  buffer.writeIntBE(value, 0, bytes)
  return buffer
}
