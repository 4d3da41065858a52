class ShopController < ApplicationController
# == a parameter in a shell
  def ping
    host = params[:host]
#          ^ source req.params
    system("ping #{host}")
#   ^ flow req.params->system
    `ping #{host}`
#   ^ flow req.params->backtick
  end

# == queries made of text
  def find
    User.where("name = '#{params[:name]}'")
#        ^ flow req.params->sql.query
    User.where(name: params[:name])
#        ^ clean
    User.where("name = ?", params[:name])
#        ^ clean
  end

# == numbers do no harm
  def numbered
    id = params[:id].to_i
    User.where("id = #{id}")
#        ^ clean
  end

# == paths
  def file
    send_file("files/" + params[:name])
#   ^ flow req.params->file.send
    File.read(File.basename(params[:name]))
#        ^ clean
  end

# == given anew
  def again
    name = params[:name]
    name = "x"
    File.read(name)
#        ^ clean
  end

# == one way only
  def one_way(flag)
    name = "a"
    if flag
      name = params[:name]
    end
    File.read(name)
#        ^ flow req.params->file.open
  end

# == both ways
  def both_ways(flag)
    name = params[:name]
    if flag
      name = "a"
    else
      name = "b"
    end
    File.read(name)
#        ^ clean
  end

# == variables of the object
  def kept
    @line = params[:line]
    eval(@line)
#   ^ flow req.params->eval
  end

# == blocks are given the items
  def each_one
    params[:lines].each { |line| eval(line) }
#                                ^ flow req.params->eval
  end

# == classes and methods by name
  def by_name
    params[:type].constantize
#                 ^ flow req.params->constantize
    record.send(params[:field])
#          ^ flow req.params->send
  end

# == one call deep
  def remove(name)
    system("rm " + name)
#   ^ flow req.params->system
  end

  def removing
    remove(params[:name])
  end

# == pages and places to go
  def page
    redirect_to params[:next]
#   ^ flow req.params->redirect
  end

# == places that are findings by themselves
  def places(data)
    Marshal.load(data)
#           ^ finding deserialize
    Digest::MD5.hexdigest(data)
#               ^ finding hash.weak
  end

# == conditions
  def conditions
    flag = params[:a] == "x"
    system("echo #{flag}")
#   ^ clean
  end
end
