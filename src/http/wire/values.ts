import Type from 'typebox'

/** Wire types used by several resources. */
export const Pence = Type.Integer({ description: 'whole pence, VAT included' })
export const DateOnly = Type.String({ format: 'date', description: 'a day of Europe/London, YYYY-MM-DD' })
export const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601 in UTC' })
export const Name = (description: string) =>
  Type.String({ minLength: 1, maxLength: 100, format: 'single-line', description })
export const Email = Type.String({ format: 'email', maxLength: 254 })
export const Phone = Type.String({ format: 'phone', description: 'national UK or international; kept in E.164 form' })
/** With its type said beside the words, so that a number is of the wrong type (400) and not a refused value (422). */
export const ServiceName = Type.Enum(['electricity', 'gas', 'broadband'], { type: 'string' })

/** Ids a partner names in a list: 1–10, each as we handed it out. */
export const IdList = (description: string, maxItems = 10) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 1, maxItems, description })

/** An instant as every answer writes it. */
export function timestamp(instant: Date): string {
  return instant.toISOString()
}
