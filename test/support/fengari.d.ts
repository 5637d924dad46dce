/** The parts of fengari, a Lua VM, that tests use. The package has no types. */
declare module 'fengari' {
  export interface LuaState {
    readonly luaState: unique symbol
  }

  export const lua: {
    lua_createtable(state: LuaState, items: number, fields: number): void
    lua_gettop(state: LuaState): number
    lua_isinteger(state: LuaState, index: number): boolean
    lua_istable(state: LuaState, index: number): boolean
    lua_pcall(state: LuaState, args: number, results: number, handler: number): number
    lua_pop(state: LuaState, count: number): void
    lua_pushboolean(state: LuaState, value: boolean): void
    lua_pushcfunction(state: LuaState, work: (state: LuaState) => number): void
    lua_pushinteger(state: LuaState, value: number): void
    lua_pushstring(state: LuaState, value: Uint8Array): void
    lua_rawgeti(state: LuaState, index: number, item: number): number
    lua_rawlen(state: LuaState, index: number): number
    lua_rawseti(state: LuaState, index: number, item: number): void
    lua_setfield(state: LuaState, index: number, name: Uint8Array): void
    lua_setglobal(state: LuaState, name: Uint8Array): void
    lua_toboolean(state: LuaState, index: number): boolean
    lua_tojsstring(state: LuaState, index: number): string
    lua_tonumber(state: LuaState, index: number): number
    lua_isnumber(state: LuaState, index: number): boolean
    lua_isnil(state: LuaState, index: number): boolean
    lua_isboolean(state: LuaState, index: number): boolean
    lua_close(state: LuaState): void
  }
  export const lauxlib: {
    luaL_loadstring(state: LuaState, text: Uint8Array): number
    luaL_newstate(): LuaState
  }
  export const lualib: {
    luaL_openlibs(state: LuaState): void
  }
  export function to_luastring(text: string): Uint8Array
}
