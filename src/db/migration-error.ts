/** The database and this program's migrations do not go together. The message is for the operator and names the remedy. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}
