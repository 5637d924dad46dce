import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generatedFiles, readCommitted } from '../../scripts/generated/files.ts'

for (const { path, generate } of generatedFiles) {
  test(`${path} matches its source`, async () => {
    const [committed, wanted] = await Promise.all([readCommitted(path), generate()])
    assert.ok(committed !== undefined, `${path} is missing: run "npm run generate"`)
    assert.ok(committed === wanted, `${path} is out of date: run "npm run generate" and commit the result`)
  })
}
