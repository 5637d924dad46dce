/**
 * The header that marks the console's requests: the client id of the page's session, percent-encoded. Browsers let no
 * page of another site send it.
 */
export const consoleHeader = 'X-Housebill-Console'
