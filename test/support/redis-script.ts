import { type LuaState, lauxlib, lua, lualib, to_luastring } from 'fengari'

/** A Redis reply: a status such as OK, a number, a string, nil, or a list of these. */
export type RedisReply = { status: string } | number | string | null | readonly RedisReply[]

/**
 * Runs a Lua script as Redis's EVAL does. `call` executes the script's commands. Types are converted as the "Lua API"
 * page of redis.io/docs describes.
 */
export function runRedisScript(
  script: string,
  {
    keys,
    args,
    call,
  }: { keys: readonly string[]; args: readonly string[]; call(command: readonly string[]): RedisReply },
): RedisReply {
  const state = lauxlib.luaL_newstate()
  try {
    lualib.luaL_openlibs(state)
    setTable(state, 'KEYS', keys)
    setTable(state, 'ARGV', args)
    lua.lua_createtable(state, 0, 1)
    lua.lua_pushcfunction(state, (inner) => {
      const command = Array.from({ length: lua.lua_gettop(inner) }, (_, index) => lua.lua_tojsstring(inner, index + 1))
      push(inner, call(command))
      return 1
    })
    lua.lua_setfield(state, -2, to_luastring('call'))
    lua.lua_setglobal(state, to_luastring('redis'))
    const failed = lauxlib.luaL_loadstring(state, to_luastring(script)) !== 0 || lua.lua_pcall(state, 0, 1, 0) !== 0
    if (failed) throw new Error(`script: ${lua.lua_tojsstring(state, -1)}`)
    return read(state, -1)
  } finally {
    lua.lua_close(state)
  }
}

function setTable(state: LuaState, name: string, items: readonly string[]): void {
  push(state, items)
  lua.lua_setglobal(state, to_luastring(name))
}

function push(state: LuaState, reply: RedisReply): void {
  if (reply === null) lua.lua_pushboolean(state, false)
  else if (typeof reply === 'number') lua.lua_pushinteger(state, reply)
  else if (typeof reply === 'string') lua.lua_pushstring(state, to_luastring(reply))
  else if ('status' in reply) {
    lua.lua_createtable(state, 0, 1)
    push(state, reply.status)
    lua.lua_setfield(state, -2, to_luastring('ok'))
  } else {
    lua.lua_createtable(state, reply.length, 0)
    for (const [index, item] of reply.entries()) {
      push(state, item)
      lua.lua_rawseti(state, -2, index + 1)
    }
  }
}

/**
 * Reads a Lua value as a Redis reply: numbers are truncated, false and nil become null, and a list ends at its first
 * nil.
 */
function read(state: LuaState, index: number): RedisReply {
  if (lua.lua_isnil(state, index)) return null
  if (lua.lua_isboolean(state, index)) return lua.lua_toboolean(state, index) ? 1 : null
  if (lua.lua_istable(state, index)) {
    return Array.from({ length: lua.lua_rawlen(state, index) }, (_, item) => {
      lua.lua_rawgeti(state, index, item + 1)
      const value = read(state, -1)
      lua.lua_pop(state, 1)
      return value
    })
  }
  if (lua.lua_isnumber(state, index)) return Math.trunc(lua.lua_tonumber(state, index))
  return lua.lua_tojsstring(state, index)
}
