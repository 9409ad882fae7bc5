-- Removes every Set-Cookie that a browser, or a lenient parser, could take for the token cookie. A cookie without a name is sent as
-- its value alone (RFC 6265bis), so that "=name=value" is name=value.
function envoy_on_response(response)
  local headers = response:headers()
  local kept = {}
  for i = 0, headers:getNumValues("set-cookie") - 1 do
    local cookie = headers:getAtIndex("set-cookie", i)
    local name = cookie:match("^[^;]*"):lower():gsub('[%s"]', ""):gsub("^=+", ""):match("^[^=]*")
    if name ~= "__store_jwt_token" then table.insert(kept, cookie) end
  end
  headers:remove("set-cookie")
  for _, cookie in ipairs(kept) do headers:add("set-cookie", cookie) end
end
