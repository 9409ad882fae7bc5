-- Removes the cookies whose names begin with a name of `hidden`, and keeps the others. If a header still contains such a name
-- afterwards, its syntax is unclear, and the whole header is removed.
local function without_hidden(cookie)
  cookie = ";" .. cookie
  for _, name in ipairs(hidden) do
    cookie = cookie:gsub("[;,]%s*" .. name .. "[^=;,]*=[^;,]*", "")
    if cookie:find(name, 1, true) then return "" end
  end
  return (cookie:gsub("^[;,%s]+", ""))
end

function envoy_on_request(request)
  local headers = request:headers()
  local kept = {}
  for i = 0, headers:getNumValues("cookie") - 1 do
    local cookie = without_hidden(headers:getAtIndex("cookie", i))
    if cookie ~= "" then table.insert(kept, cookie) end
  end
  headers:remove("cookie")
  if #kept > 0 then headers:add("cookie", table.concat(kept, "; ")) end
end
