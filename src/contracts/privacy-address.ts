/** Where a deployment says how it uses data. It has no secret, so contracts and e-mails print it. */
export function privacyAddress(publicUrl: string): string {
  return `${publicUrl}${privacyPath}`
}

/** The path of that page. */
export const privacyPath = '/privacy'
