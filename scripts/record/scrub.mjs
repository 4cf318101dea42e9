// Takes out of a recorded stream what says whose it is: keys, ids of accounts, addresses. All other bytes stay as they came.

const REMOVED = 'removed'

/** Fields whose value names an account, whatever it looks like. */
const FIELDS = [
  'user',
  'user_id',
  'end_user',
  'safety_identifier',
  'prompt_cache_key',
  'account',
  'account_id',
  'org',
  'org_id',
  'organization',
  'organization_id',
  'project',
  'project_id',
  'tenant',
  'tenant_id',
  'api_key',
  'authorization',
]

const KINDS = [
  [
    'field of an account',
    new RegExp(`("(?:${FIELDS.join('|')})"\\s*:\\s*")(?:[^"\\\\]|\\\\.)+(?=")`, 'gi'),
    `$1${REMOVED}`,
  ],
  ['bearer token', /\b(Bearer\s+)[\w.~+/-]{8,}=*/gi, `$1${REMOVED}`],
  ['web token', /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, REMOVED],
  ['key', /\b(?:sk|pk|rk|gsk|xai|nvapi|hf|r8|fw|csk|ghp|gho|github_pat)[-_][\w-]{16,}/g, REMOVED],
  ['key', /\b(?:AIza[\w-]{30,}|AKIA[A-Z0-9]{16}|ya29\.[\w-]{16,})/g, REMOVED],
  ['id of an account', /\b(?:org|proj|acct|user|team|workspace)[-_][A-Za-z0-9]{12,}/g, REMOVED],
  ['mail address', /\b[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}\b/gi, REMOVED],
]

/** The bytes without secrets, and how many of each kind there were. `secrets` are taken out wherever they stand. */
export function scrub(bytes, secrets = []) {
  // One unit a byte: what is no text, or was cut in the middle of a character, comes through unharmed.
  let text = Buffer.from(bytes).toString('latin1')
  const counts = new Map()
  const count = (kind) => counts.set(kind, (counts.get(kind) ?? 0) + 1)
  for (const secret of secrets.flatMap(spellings)) {
    const parts = text.split(secret)
    for (let found = 1; found < parts.length; found++) count('the key that was used')
    text = parts.join(REMOVED)
  }
  for (const [kind, pattern, instead] of KINDS) {
    text = text.replace(pattern, (whole, ...groups) => {
      const replaced = instead.replace('$1', typeof groups[0] === 'string' ? groups[0] : '')
      if (replaced !== whole) count(kind)
      return replaced
    })
  }
  return { bytes: Buffer.from(text, 'latin1'), counts }
}

/** As it is, as JSON may write it, and as an address does. */
function spellings(secret) {
  if (secret === '') return []
  const text = Buffer.from(secret).toString('latin1')
  return [...new Set([text, text.replaceAll('/', '\\/'), encodeURIComponent(secret)])]
}
