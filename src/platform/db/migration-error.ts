/**
 * Thrown if the database and this program's migrations do not match. The message is for the operator and says how to
 * fix it.
 */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}
