-- Removes the token cookie and keeps the others. A cookie that still names the token afterwards is written in a way that
-- cannot be judged, and is removed as a whole.
function envoy_on_request(request)
  local headers = request:headers()
  local kept = {}
  for i = 0, headers:getNumValues("cookie") - 1 do
    local cookie = ";" .. headers:getAtIndex("cookie", i)
    cookie = cookie:gsub("[;,]%s*__store_jwt_token%s*=[^;,]*", "")
    cookie = cookie:gsub("^[;,%s]+", "")
    if cookie ~= "" and not cookie:find("__store_jwt_token", 1, true) then
      table.insert(kept, cookie)
    end
  end
  headers:remove("cookie")
  if #kept > 0 then headers:add("cookie", table.concat(kept, "; ")) end
end
