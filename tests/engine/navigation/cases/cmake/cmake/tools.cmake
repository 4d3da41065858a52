set(EXTRA c.cpp)
function(add_shop_test name)
  say("${name}")
# ^ -> say
  target_sources(shop PRIVATE ${EXTRA})
#                ^ -> CMakeLists.txt shop
#                               ^ -> EXTRA
endfunction()
macro(say what)
  message("${EXTRA}")
#            ^ -> EXTRA
endmacro()
add_custom_target(check)
add_dependencies(check shop)
#                ^ -> check
#                      ^ -> CMakeLists.txt shop
set(MORE ${SOURCES} ${EXTRA})
#          ^ -> CMakeLists.txt SOURCES
#                     ^ -> EXTRA
list(APPEND EXTRA d.cpp)
#           ^ -> EXTRA
